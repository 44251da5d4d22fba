#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the scenario under the recorder, which observes the same interface as on a GPU host: the
# expected letters, and every doorbell with its channel and its new GP_PUT, for each way to
# observe doorbells.
# Usage: test-record.sh BIN LIB EXPECTED
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../collect/counters.sh"
bin=$1
kmd=$2/ktail-softgpu/libktail-softgpu.so
expected=$3
scratch=$(mktemp -d)
failures=0
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

record() { # TRACE SUBMISSIONS OPTION...
	trace=$scratch/$1
	submissions=$2
	shift 2
	LD_PRELOAD=$kmd timeout 120 "$bin/ktail-record" -v --subbuf-size 65536 --num-subbuf 4 \
		"$@" -o "$trace" -- "$bin/scenario-kmd" "$submissions" 2>"$trace.err" ||
		fail "$trace: status $?"
	cat "$trace.err"
	grep -q " 0 lost, $submissions doorbells in " "$trace.err" &&
		has_counters "$trace.err" '0 idle doorbells' '1 channels' '0 lagging channels' ||
		fail "$trace: not every doorbell was seen with its channel"
	"$bin/ktail" words "$trace" -o "$trace.words" || fail "$trace: no words"
}

record coalesced 3
cat "$scratch"/coalesced.words/*.events | grep -v '^#' >"$scratch/letters"
diff -u "$expected/scenario.txt" "$scratch/letters" || fail "other letters than expected"

record exact 3 --access=exact --pin
for mode in protect watchpoint; do
	[ "$mode" = protect ] || "$bin/ktail-record" --doorbell=watchpoint -o "$scratch/try" \
		-- true 2>/dev/null || continue
	record "bells-$mode" 200 --access=off "--doorbell=$mode"
done
[ "$failures" = 0 ]
