#!/bin/sh
# SPDX-License-Identifier: MIT
# Workloads on the software GPU: the recorder captures as many ring entries as the device has
# executed, with all of their dwords, and the letters equal those of a recording without
# capture.
# Usage: test-submissions.sh BUILD SAY-COUNTS
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../collect/counters.sh"
build=$1
counts=$2
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

record() { # TRACE [OPTION...] -- WORKLOAD...
	trace=$1
	shift
	rm -rf "$scratch/$trace"
	LD_PRELOAD=$counts timeout 120 "$build/bin/ktail-record" -v --softgpu --subbuf-size 262144 \
		--num-subbuf 8 -o "$scratch/$trace" "$@" >"$scratch/out" 2>"$scratch/err" ||
		fail "$*: status $?"
	grep -q ' 0 lost, ' "$scratch/err" && has_counters "$scratch/err" '0 fragments' ||
		fail "$*: events are lost"
}

letters() { # TRACE
	"$build/bin/ktail" words "$scratch/$1" -o "$scratch/$1.words" >"$scratch/err" 2>&1 ||
		fail "$1: no words"
	cat "$scratch/$1.words"/*.events | grep -v '^#'
	rm -rf "$scratch/$1.words"
}

check() { # OPTION WORKLOAD...
	option=$1
	shift
	record trace "$option" -- "$build/bin/corpus/$@"
	executed=$(sed -n 's/^device: \([0-9]*\) entries, 0 errors$/\1/p' "$scratch/err")
	captured=$(counter "$scratch/err" 'ring entries')
	words=$(counter "$scratch/err" dwords)
	has_counters "$scratch/err" '0 unread entries' &&
		[ -n "$executed" ] && [ "$executed" -gt 0 ] && [ "$captured" = "$executed" ] ||
		fail "$* $option: $captured entries captured, $executed executed"
	# Accesses are recorded, so page faults take the place of watchpoints, with a warning.
	said=$(grep -c 'page faults, not by watchpoints' "$scratch/err")
	case $option in
	--doorbell=watchpoint) [ "$said" = 1 ] ;;
	*) [ "$said" = 0 ] ;;
	esac || fail "$* $option: $said warnings that watchpoints were not used"
	babeltrace2 "$scratch/trace" | awk -f "$here/../../collect/scenarios/submissions.awk" \
		>"$scratch/listing"
	awk -v entries="$captured" -v words="$words" '
		$1 == "entry" { n++; sum += $5; if ($3 != $5 || $4 != "submitted") bad = 1 }
		$1 != "entry" && $1 != "doorbell" { bad = 1 }
		END { exit bad || n != entries || sum != words }' "$scratch/listing" ||
		fail "$* $option: words are missing: $(head -n 3 "$scratch/listing")"
	echo "$* $option: $captured entries, $words words"
}

for option in --doorbell=auto --doorbell=watchpoint --doorbell=patch --doorbell=protect \
	--access=off; do
	check $option vadd
	check $option copies --memory pinned
	check $option graphs --nodes 1000 --launches 2
	check $option streams --streams 4 --rounds 3 --threads 4
done
check --access=coalesced copies --memory pageable
check --access=coalesced copies --memory registered
check --pin copies --memory registered
check --access=coalesced microbench --contexts 2 --streams 2 --requests 10 --kind mixed \
	--length 8192

# Rings as the driver stores them: each GP_PUT and entry equals the memory's content, and each
# store to GP_PUT belongs to one doorbell. The device's memory is read only for idle channels.
rings_of() { # WORKLOAD...
	for access in coalesced off; do
		record trace --rings=check --access=$access -- "$build/bin/corpus/$@"
		bells=$(sed -n 's/.* \([0-9]*\) doorbells in .*/\1/p' "$scratch/err")
		entries=$(counter "$scratch/err" 'ring entries')
		has_counters "$scratch/err" '0 idle doorbells' "$bells GP_PUT stores" \
			"$bells stored doorbells" "$entries stored entries" '0 unobserved entries' ||
			fail "$* --access=$access: stores are not one to one"
		! grep -q 'differ from the observed stores' "$scratch/err" ||
			fail "$* --access=$access: memory is not what was stored"
		record trace --rings=stores --access=$access -- "$build/bin/corpus/$@"
		reads=$(counter "$scratch/err" 'bus reads')
		looks=$(counter "$scratch/err" 'unobserved GP_PUTs')
		# One in 64 submissions is a sample, which reads GP_PUT and its entries.
		has_counters "$scratch/err" '0 unobserved entries' && [ -n "$reads" ] && [ "$looks" -le 8 ] &&
			[ "$reads" -ge "$looks" ] && [ "$reads" -le $((looks + bells / 64 * 2)) ] ||
			fail "$* --access=$access: $reads bus reads"
	done
}

rings_of vadd
rings_of copies --memory pinned
rings_of copies --memory pageable
rings_of copies --memory registered
rings_of graphs --nodes 1000 --launches 2
rings_of streams --streams 4 --rounds 3 --threads 4
rings_of microbench --contexts 2 --streams 2 --requests 10 --kind mixed --length 8192
for option in --rings=stores --rings=check; do
	check $option vadd
	check $option streams --streams 4 --rounds 3 --threads 4
done

# Events without a letter do not end a run of accesses: the words of one thread are equal.
record with -- "$build/bin/corpus/vadd"
record without --submissions=off -- "$build/bin/corpus/vadd"
for trace in with without; do
	letters $trace | grep -e map -e ioctl -e W:reg >"$scratch/$trace.letters"
done
[ -s "$scratch/with.letters" ] && cmp "$scratch/with.letters" "$scratch/without.letters" ||
	fail "letters differ"

[ "$failures" = 0 ] && echo "all that was executed was captured"
[ "$failures" = 0 ]
