#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests on repeated recordings of the same programs which k is chosen, and in what two runs differ.
# Usage: test-repeats.sh KTAIL FOLDER
set -u

ktail=$1
folder=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAILED: $*" >&2
	failures=$((failures + 1))
}

# says FILE PATTERN: checks that a line of the file matches the pattern
says() {
	grep -qE "$2" "$1" || {
		cat "$1" >&2
		fail "not said: $2"
	}
}

# PyTorch repeats one activity so often that it outweighs all others: no k is convincing. For all
# other recordings together, ktail chooses a k at which repeated work shows as cycles.
set -- "$folder"/torch-*/*.events.zst
"$ktail" sweep "$@" >/dev/null 2>"$work/torch" || fail "sweep torch"
says "$work/torch" '^ktail: warning: k = 11: no k from 1 to 100 is convincing: .*most kinds of letters that repeat \(14 of 25\)'
set --
for word in "$folder"/*/*.events; do
	case $word in
	*/torch-*) ;;
	*) set -- "$@" "$word" ;;
	esac
done
[ $# -eq 38 ] || fail "$# words are there"
"$ktail" sweep "$@" >/dev/null 2>"$work/others" || fail "sweep all others"
says "$work/others" '^ktail: k = 23: the smallest machine on a plateau \(nearly the same for k = 23 to 25: 499 states'

# Two runs of a vector add differ only in when the driver polled.
first=$folder/vadd-4k-1/vadd-4k-1_vadd.0.events
second=$folder/vadd-4k-2/vadd-4k-2_vadd.0.events
"$ktail" diff --k 20 "$first" "$second" >"$work/differ"
[ $? -eq 1 ] || fail "two runs are the same"
"$ktail" diff --k 20 --without R:sys "$first" "$second" >"$work/same" || {
	cat "$work/same" >&2
	fail "two runs differ in more than polls"
}
"$ktail" diff --k 20 "$first" "$first" >/dev/null || fail "a run differs from itself"

# A machine of nine runs accepts each of them, but the tenth run only up to a poll.
"$ktail" --k 20 "$folder"/vadd-4k-[1-9]/*.events -o "$work/nine.json" || fail "nine runs"
"$ktail" check "$work/nine.json" "$folder"/vadd-4k-[1-9]/*.events >"$work/fits" ||
	fail "a word of its own does not fit"
"$ktail" check "$work/nine.json" "$folder"/vadd-4k-10/*.events >"$work/tenth"
[ $? -eq 1 ] || fail "the tenth run fits"
says "$work/tenth" 'does not fit: R:sys$'

[ "$failures" -eq 0 ]
