#!/bin/sh
# SPDX-License-Identifier: MIT
# ktail record --overhead on the software GPU. A limit that cannot be kept: accesses, then commands are
# given up; the summary, the counters and the trace say so; words are cut where they use what is gone;
# doorbells, ioctls and mappings stay complete. A limit that is never reached changes nothing.
# Usage: test-overhead.sh BUILD
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../collect/counters.sh"
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"

fail() {
	echo "FAILED: $*"
	[ ! -s "$scratch/err" ] || sed 's/^/  /' "$scratch/err"
	failures=$((failures + 1))
}

# record REQUESTS OPTION...: to $scratch/trace; the device's counts are in $scratch/err
record() {
	requests=$1
	shift
	rm -rf "$scratch/trace"
	timeout 300 "$build/bin/ktail-record" -v --softgpu --lossless -o "$scratch/trace" "$@" -- \
		"$build/bin/corpus/microbench" --requests "$requests" >"$scratch/out" 2>"$scratch/err" ||
		fail "$*: status $?"
}

# words ALPHABET: prints the events files of the words, without numbers; warnings to $scratch/said
words() {
	rm -rf "$scratch/words"
	"$build/bin/ktail" words --alphabet "$1" "$scratch/trace" -o "$scratch/words" 2>"$scratch/said" ||
		fail "$1: no words"
	cat "$scratch/words"/*.events | grep -v '^#ktail [nv]'
}

details() { # PATTERN: how many events detail match
	babeltrace2 "$scratch/trace" 2>/dev/null | grep 'gpu_stack:detail' | grep -c "$1"
}

# Whether detail was given up while the program started, before there was a submission.
gave_up_at_start() {
	babeltrace2 "$scratch/trace" 2>/dev/null | awk '
		/gpu_stack:(doorbell|submission)/ { exit }
		/gpu_stack:detail/ { found = 1; exit }
		END { exit !found }'
}

doorbells() {
	sed -n 's/.* \([0-9]*\) doorbells.*/\1/p' "$scratch/err" | head -n 1
}

echo 'doorbell -> D' >"$scratch/doorbells.alphabet"
printf '%s\n' 'ioctl -> I' 'map -> M' 'unmap -> U' 'doorbell -> D' >"$scratch/calls.alphabet"

# The software GPU's driver does so little that any recording is far above 1 %.
for options in '' '--doorbell=patch' '--access=exact --doorbell=patch' '--doorbell=patch --rings=stores'; do
	record 20000 --access=off --submissions=off --doorbell=protect
	expected=$(doorbells)
	words "$scratch/calls.alphabet" >"$scratch/calls"
	# shellcheck disable=SC2086
	record 20000 --overhead=1 $options
	[ "$(doorbells)" = "$expected" ] || fail "$options: $(doorbells) doorbells, not $expected"
	grep -q 'recorded .*, 0 lost' "$scratch/err" || fail "$options: events are lost"
	grep -q 'ktail: overhead [0-9.]* % .* (limit 1 %)$' "$scratch/err" || fail "$options: no overhead is printed"
	grep -q 'warning: gave up .*commands of 1 process, for --overhead=1' "$scratch/err" ||
		fail "$options: no warning"
	has_counters "$scratch/err" '1 accesses given up' '1 commands given up' ||
		fail "$options: the counters do not tell"
	[ "$(details '"access".*"off".*"overhead", mapping = 0 ')" = 1 ] &&
		[ "$(details '"submissions", from = "words", to = "off", why = "overhead"')" = 1 ] ||
		fail "$options: the trace does not say where"
	words "$scratch/calls.alphabet" | cmp - "$scratch/calls" || fail "$options: other ioctls, mappings or doorbells"
	[ "$(words "$scratch/doorbells.alphabet" | grep -c '^D$')" = "$expected" ] || fail "$options: doorbells are missing"
	words "$scratch/doorbells.alphabet" | grep cut && fail "$options: words of doorbells are cut"
	for alphabet in table1 submission; do
		words "$alphabet" >"$scratch/cut"
		if [ "$alphabet" = submission ] && gave_up_at_start; then
			[ ! -s "$scratch/cut" ] || fail "$options: submissions after accesses were given up"
			continue
		fi
		grep -q '^#ktail cut-end' "$scratch/cut" || fail "$options: words of $alphabet are not cut"
		# The rest of the process would be a word without letters that the alphabet has.
		grep -q '^#ktail cut-begin' "$scratch/cut" && fail "$options: $alphabet: a word after the cut"
		"$build/bin/ktail" words --strict --alphabet "$alphabet" "$scratch/trace" -o "$scratch/strict" 2>/dev/null
		[ $? = 4 ] || fail "$options: $alphabet: --strict accepts the cut"
		grep -q 'warning: .*the recorder gave up accesses ' "$scratch/said" || fail "$options: $alphabet: no warning"
	done
	"$build/bin/ktail" decode --stats "$scratch/trace" 2>&1 | tr '\n' ' ' >"$scratch/said"
	grep -q ' [2-9] details that the recorder gave up' "$scratch/said" || fail "$options: the losses do not tell"
done

# A limit that is never reached. A poll's length depends on the speed.
letters() {
	words table1 | awk '/^R:/ { if (!poll) print "R:*"; poll = 1; next } { poll = 0; print }'
}
record 2000 --doorbell=patch
letters >"$scratch/plain"
record 2000 --doorbell=patch --overhead=1000
letters >"$scratch/limited"
[ -s "$scratch/plain" ] && cmp "$scratch/plain" "$scratch/limited" || fail "other words with a limit that is not reached"
has_counters "$scratch/err" '0 mappings given up' '0 accesses given up' '0 commands given up' ||
	fail "detail was given up below the limit"
[ "$(details .)" = 0 ] || fail "an event detail below the limit"
grep -q 'warning: gave up' "$scratch/err" && fail "a warning below the limit"

# The variant with windows of a nanosecond gives up everything at once: a forked process begins with all
# detail and has an account of its own.
for scenario in fork fork-beside-writers many-doorbells-fork; do
	for recorder in "$build/bin" "$build/variants/probe/bin"; do
		rm -rf "$scratch/trace"
		LD_PRELOAD=$build/lib/libfake-driver.so "$recorder/ktail-record" -v -o "$scratch/trace" --overhead=1 \
			"$build/bin/scenario-$scenario" >"$scratch/out" 2>"$scratch/err" || fail "$scenario: status $?"
		doorbells >>"$scratch/$scenario"
	done
	[ "$scenario" != many-doorbells-fork ] || has_counters "$scratch/err" '2 accesses given up' ||
		fail "$scenario: the child did not begin with all detail"
	[ "$(sort -u "$scratch/$scenario" | wc -l)" = 1 ] || fail "$scenario: not the same number of doorbells"
done
[ "$failures" -eq 0 ]
