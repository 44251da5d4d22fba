#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the number of words and the error messages of repeat.sh, on the software GPU.
# Usage: test-repeat.sh PROJECT BUILD
set -u
project=$1
build=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL: $*"
	sed 's/^/  stderr: /' "$work/err"
	failures=$((failures + 1))
}

# repeat STATUS ARGUMENT...: runs repeat.sh and checks its exit status.
repeat() {
	expected=$1
	shift
	KTAIL=$build/bin/ktail "$project/corpus/repeat.sh" "$@" >"$work/out" 2>"$work/err"
	status=$?
	[ "$status" -eq "$expected" ] || fail "repeat.sh $*: status $status, not $expected"
}

says() {
	grep -qF -- "$1" "$work/err" || fail "standard error lacks '$1'"
}

repeat 0 --out "$work/words" --times 2 vadd --softgpu -- "$build/bin/corpus/vadd" --size 4096
for i in 1 2; do
	grep -q '^W:reg$' "$work/words/vadd-$i/vadd-${i}_vadd.0.events" || fail "run $i has no word"
done
repeat 2 --out "$work/more" --times 1 false --softgpu -- false
says 'run 1 failed'
repeat 2 --times 0 vadd -- true
says "must be a whole number above 0, not '0'"
repeat 2 --times
says '--times needs an argument'
repeat 2 -- true
says 'a NAME for the recordings is missing'
repeat 2 vadd --softgpu
says '-- COMMAND is missing'
repeat 0 --help

[ "$failures" -eq 0 ]
