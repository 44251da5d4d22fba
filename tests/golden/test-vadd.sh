#!/bin/sh
# SPDX-License-Identifier: MIT
# Infers and draws the machine of the recorded vector add at k = 20, and checks what the
# SVG shows. Usage: test-vadd.sh BIN TRACE
set -u

bin=$1
trace=$2
scratch=$(mktemp -d)
failures=0
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

"$bin/ktail" --k 20 "$trace" -o "$scratch/fsm.dot" -o "$scratch/fsm.svg" \
	-o "$scratch/fsm.json" || fail "ktail: status $?"
"$bin/svg-check" "$scratch/fsm.svg" >"$scratch/seen" || fail "svg-check"

nodes=$(grep -c 'class="node state' "$scratch/fsm.svg")
[ "$nodes" -le 60 ] || fail "$nodes nodes are drawn, more than 60"
[ "$nodes" -ge 10 ] || fail "$nodes nodes are drawn, fewer than 10"
[ "$(grep -c 'class="node state[a-z ]* start' "$scratch/fsm.svg")" = 1 ] || fail "the start"
[ "$(grep -c 'class="node state[a-z ]* end' "$scratch/fsm.svg")" -ge 1 ] || fail "the end"

for letter in NV_ESC_RM_ALLOC map:reg; do
	grep '^tooltip a_t' "$scratch/seen" | grep -q "[ /]$letter\([ ,]\|×\|$\)" ||
		fail "no edge holds $letter"
done
"$bin/cycles" W:sys W:fb W:reg <"$scratch/seen" || fail "the submission cycle"
"$bin/cycles" R:sys W:reg <"$scratch/seen" || fail "the polling loop beside the doorbell"
grep -E '^tooltip a_t' "$scratch/seen" |
	grep -qE '^tooltip [^ ]+ ([0-9]+) → \1: .* / (.* )?R:sys' || fail "the polling loop"

# Words that are written out and read back give the same machine, except for the alphabet.
"$bin/ktail" words "$trace" -o "$scratch/words" || fail "ktail words"
"$bin/ktail" --k 20 "$scratch/words"/*.events -o "$scratch/again.json" || fail "from .events"
sed 's/"alphabet": {.*}/"alphabet": null/; s/"alphabet": {[^}]*},/"alphabet": null,/' \
	"$scratch/fsm.json" >"$scratch/fsm-null.json"
cmp "$scratch/fsm-null.json" "$scratch/again.json" || fail "words written out give another machine"

[ "$failures" = 0 ] && echo "$nodes nodes; start, end, submission cycle and polling loop found"
[ "$failures" = 0 ]
