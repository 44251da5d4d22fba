#!/bin/sh
# SPDX-License-Identifier: MIT
# Records each scenario with every load and store patched at its first fault: output, status and
# words are the expected ones. With --access=exact each access would fault, so all sites are
# patched. Usage: test-forced-patches.sh BIN LIB EXPECTED SCENARIO...
#        (the build's bin and lib, the folder of words)
set -u

here=$(cd "$(dirname "$0")" && pwd)
bin=$1
lib=$2
expected=$3
shift 3
scratch=$(mktemp -d)
failures=0
. "$here/../counters.sh"
. "$here/compare.sh"
LTTNG_HOME=$scratch/home
KTAIL_RECORD_HOT_FAULTS=1
export LTTNG_HOME KTAIL_RECORD_HOT_FAULTS
mkdir -p "$LTTNG_HOME"
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

record_all() { # ACCESS SCENARIO...
	access=$1
	shift
	patched=0
	for scenario in "$@"; do
		trace=$scratch/$scenario-$access
		bare=$(status_of "$trace.bare" env LD_PRELOAD="$lib/libfake-driver.so" \
			"$bin/scenario-$scenario")
		recorded=$(status_of "$trace.out" env LD_PRELOAD="$lib/libfake-driver.so" \
			timeout -k 1 60 "$bin/ktail-record" -v --subbuf-size 65536 --num-subbuf 32 --lossless \
			--doorbell=patch --access="$access" -o "$trace" -- "$bin/scenario-$scenario")
		[ "$bare" = "$recorded" ] || fail "$scenario, $access: status $recorded, not $bare"
		cmp "$trace.bare" "$trace.out" || fail "$scenario, $access: its output differs"
		grep -q ' 0 lost' "$trace.out.err" ||
			fail "$scenario, $access: $(cat "$trace.out.err")"
		compare "$trace" "$scenario"
		patched=$((patched + $(counter "$trace.out.err" 'patched accesses')))
	done
	echo "$access: $patched patched accesses"
	[ "$patched" -gt 0 ] || fail "$access: nothing was patched"
	[ "$failures" = 0 ]
}

# Both at once, because a recording mostly waits.
record_all coalesced "$@" &
coalesced=$!
record_all exact "$@"
exact=$?
wait "$coalesced" && [ "$exact" = 0 ]
