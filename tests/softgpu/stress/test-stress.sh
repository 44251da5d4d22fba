#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the software GPU's doorbell many times, without and with the recorder. The recording must
# hold all doorbells without loss, those of each thread in their order. The device must have
# executed each entry in its channel's order, which the program itself verifies. The captured
# entries and dwords must equal the executed ones, in each channel's order.
# Usage: test-stress.sh bare SOFTGPU STRESS DOORBELLS
#        test-stress.sh record SOFTGPU STRESS DOORBELLS BIN CHECK own|shared [OPTION...]
# (SOFTGPU: the library to preload; OPTION: of ktail record; KTAIL_STRESS=N in the environment:
# N doorbells instead)
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../collect/counters.sh"
what=$1
softgpu=$2
stress=$3
doorbells=${KTAIL_STRESS:-$4}
shift 4

[ -e "$softgpu" ] || {
	echo "$softgpu is not built"
	exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"

fail() {
	echo "FAILED: $*"
	cat "$scratch"/*.err
	exit 1
}

# Compares results that must not depend on the observer: all but the thread ids.
compare() {
	sed 's/^thread \([0-9]*\) [0-9]*/thread \1/' "$1"
}

# A sanitizer's own library must be preloaded first.
runtime=$(ldd "$stress" | sed -n 's/.*=> \(.*lib[at]san[^ ]*\) .*/\1/p')
preload=${runtime:+$runtime:}$softgpu

bare() { # MODE
	LD_PRELOAD=$preload "$stress" "$doorbells" "$1" >"$scratch/bare.out" \
		2>"$scratch/bare.err" || fail "bare, $1: status $?"
	grep -q "^total $doorbells\$" "$scratch/bare.out" || fail "bare, $1: $(cat "$scratch/bare.out")"
	grep -q "^device $doorbells\$" "$scratch/bare.out" ||
		fail "bare, $1: the device did not count $doorbells entries"
	echo "bare, $1: $(cat "$scratch/bare.err")"
}

if [ "$what" = bare ]; then
	bare own
	bare shared
	exit 0
fi

bin=$1
check=$2
mode=$3
shift 3
command -v lttng-sessiond >/dev/null || {
	echo "lttng is not installed"
	exit 77
}
bare "$mode"
# Small buffers fill repeatedly, and no event may be lost.
LD_PRELOAD=$softgpu "$bin/ktail-record" -v --lossless --subbuf-size=524288 --num-subbuf=4 \
	"$@" -o "$scratch/trace" -- \
	"$stress" "$doorbells" "$mode" >"$scratch/recorded.out" 2>"$scratch/recorded.err" ||
	fail "recorded: status $?"
echo "recorded: $(cat "$scratch/recorded.err")"
grep -q 'doorbells\{0,1\} not watched (perf_event_open' "$scratch/recorded.err" && exit 77
grep -q 'warning' "$scratch/recorded.err" && fail "recorded with a warning"
grep -q " events, 0 lost, $doorbells doorbells in " "$scratch/recorded.err" &&
	has_counters "$scratch/recorded.err" '0 fragments' '0 idle doorbells' '16 channels' \
		'0 lagging channels' "$doorbells ring entries" '0 unread entries' \
		"$((12 * doorbells)) dwords" || fail "the summary says something else"
compare "$scratch/bare.out" >"$scratch/bare.same"
compare "$scratch/recorded.out" >"$scratch/recorded.same"
diff -u "$scratch/bare.same" "$scratch/recorded.same" || fail "recorded is not as bare"
"$check" "$scratch/trace" "$scratch/recorded.out" || fail "the recording"

# Reading the trace as text is slow.
[ "$doorbells" -gt 100000 ] || {
	got=$(babeltrace2 "$scratch/trace" | awk -v entries=64 -f "$here/check-entries.awk")
	[ "$got" = "$doorbells" ] || fail "entries: $got"
	got=$(babeltrace2 "$scratch/trace" | sed -E '1,/gpu_stack:(pushbuffer|submission)/ { /gpu_stack:(pushbuffer|submission)/d; }' |
		awk -v entries=64 -f "$here/check-entries.awk") &&
		fail "the check does not see that words are missing"
	echo "missing: $got" | cut -c 1-80
}

# Verifies that the check detects swapped threads and a missing doorbell.
[ "$doorbells" -le 100000 ] || exit 0
awk '$1 == "thread" && $2 < 2 { tid[$2] = $3 } { line[NR] = $0 }
	END {
		for (i = 1; i <= NR; i++) {
			split(line[i], part, " ")
			if (part[1] == "thread" && part[2] < 2) {
				print "thread", part[2], tid[1 - part[2]], part[4]
			} else {
				print line[i]
			}
		}
	}' "$scratch/recorded.out" >"$scratch/swapped.out"
awk '$1 == "thread" && $2 == 3 { $4++ } $1 == "total" { $2++ } { print }' \
	"$scratch/recorded.out" >"$scratch/missing.out"
for wrong in swapped missing; do
	"$check" "$scratch/trace" "$scratch/$wrong.out" 2>"$scratch/$wrong.said"
	[ $? = 1 ] || fail "$wrong: the check does not see it"
	echo "$wrong: $(cat "$scratch/$wrong.said")"
done
