#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that the sweep over the recorded corpus and the k that is chosen for each trace are the
# expected ones, byte for byte, that submitting work is a cycle in the drawing for that k, and that
# with the alphabet roles doorbells and polls are transitions of their own.
# Usage: test-sweep.sh BIN DATA TRACE...
# Writes the results to sweep.tsv, left-out.tsv, auto.tsv, roles.tsv and points.txt in the working folder. If the corpus
# changes, copy these files to DATA.
set -u

bin=$1
ktail=$bin/ktail
data=$2
corpus=$data/../../../corpus
shift 2
failures=0

fail() {
	echo "FAILED: $*" >&2
	failures=$((failures + 1))
}

same() {
	diff "$1" "$data/$1" || fail "$1"
}

"$ktail" sweep "$@" -o sweep.tsv 2>all.txt || fail "ktail sweep: status $?"
same sweep.tsv
"$ktail" sweep --leave-one-out "$@" -o left-out.tsv || fail "--leave-one-out: status $?"
same left-out.tsv
grep '^ktail: k = ' all.txt | grep -q "^ktail: k = $(sed -n '2s/^-\t0\t\([0-9]*\).*/\1/p' left-out.tsv):" ||
	fail "sweep and --leave-one-out differ"

# For each trace alone, what ktail reports about its choice of k must be true of the machine.
for trace; do
	name=$(basename "$trace")
	"$ktail" "$trace" -o fsm.json -o fsm.svg 2>said.txt || fail "$name: status $?"
	said=$(sed -n 's/^ktail: k = \([0-9]*\):.* (nearly the same for k = [0-9]* to \([0-9]*\): \(.*\) states, \(.*\) transitions, \(.*\) complex states*).*/\1\t\2\t\3\t\4\t\5/p' said.txt)
	grep -q "\"k\": ${said%%	*}," fsm.json || fail "$name: the machine is of another k"
	"$bin/svg-check" fsm.svg >seen.txt || fail "$name: svg-check"
	"$bin/cycles" W:sys W:fb W:reg <seen.txt >cycle.txt || fail "$name: the submission cycle"
	printf '%s\t%s\n' "$name" "$said"
done >auto.tsv
same auto.tsv

# With the alphabet roles, initiation and completion are transitions of their own, and of the words
# left out at least as many are accepted as with table1.
"$ktail" sweep --alphabet roles --cross-validate "$@" -o roles.tsv 2>said.txt || fail "roles: sweep: status $?"
same roles.tsv
k=$(sed -n 's/^ktail: k = \([0-9]*\):.*/\1/p' said.txt)
[ "$k" = 15 ] || fail "roles: k = $k"
"$ktail" --alphabet roles "$@" -o fsm.json 2>said.txt || fail "roles: status $?"
grep -q "^ktail: k = $k: " said.txt || fail "roles: sweep and ktail choose differently"
"$ktail" annotate fsm.json "$@" -o points.json 2>said.txt || fail "roles: annotate: status $?"
jq -f "$corpus/points.jq" points.json >points.txt || fail "points.jq"
same points.txt

# Whatever the k above the number of letters between a doorbell and its poll, neither of the two is
# on a self-loop.
for k in 9 12 30; do
	"$ktail" --k $k --alphabet roles "$@" -o fsm.json 2>said.txt || fail "roles, k = $k: status $?"
	sed -n 's/.*"from": \([0-9]*\), "letter": "\(W:doorbell\|R:poll\)", "to": \([0-9]*\),.*/\1 \3/p' fsm.json >loops.txt
	[ -s loops.txt ] || fail "roles, k = $k: no doorbells"
	awk '$1 == $2 { exit 1 }' loops.txt || fail "roles, k = $k: a doorbell or its poll on a self-loop"
done
rm -f fsm.json fsm.svg points.json loops.txt said.txt all.txt seen.txt cycle.txt

[ "$failures" -eq 0 ]
