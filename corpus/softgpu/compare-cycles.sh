#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares how two sets of traces submit work: counts the cycles (the letters from one doorbell
# store to the next) in each set, and reports letters that only one set has. How often a poll
# repeats depends on timing, so repeats of R:sys count once, and so do repeats of R:reg R:sys (a
# read of the clock, then of memory).
set -u

ktail=${KTAIL:-}
here=$(cd "$(dirname "$0")" && pwd) || exit 2
root=$(cd "$here/../.." && pwd) || exit 2
# shellcheck source=corpus/softgpu/common.sh
. "$here/common.sh"

usage() {
	cat <<'TEXT'
usage: corpus/softgpu/compare-cycles.sh [--ktail PROGRAM] REAL... -- MODEL...

Prints for each cycle of submission (letters of `table1` from one W:reg to the next, without an
ioctl, map or unmap in between) how often it occurs in the traces REAL and in the traces MODEL,
then the letters that occur only in one of them.

exit status: 0 each cycle of MODEL occurs in REAL; 1 some do not; 2 usage or I/O.
TEXT
}

make_work
side=real
: >"$work/real"
: >"$work/model"
while [ $# -gt 0 ]; do
	case $1 in
	--help) usage; exit 0 ;;
	--ktail)
		[ $# -ge 2 ] || fail "--ktail needs an argument"
		ktail=$2
		shift ;;
	--) side=model ;;
	-*) fail "unknown argument '$1'" ;;
	*) printf '%s\n' "$1" >>"$work/$side" ;;
	esac
	shift
done
find_ktail
if [ ! -s "$work/real" ] || [ ! -s "$work/model" ]; then
	fail "REAL and MODEL are needed"
fi

# letters SIDE: writes the words of the traces in $work/SIDE to $work/SIDE-letters, one letter per
# line, with a blank line after each word.
letters() {
	n=0
	while IFS= read -r trace; do
		n=$((n + 1))
		"$ktail" words "$trace" -o "$work/$1-words/$n" >/dev/null 2>"$work/errors" || {
			cat "$work/errors" >&2
			fail "read $trace: ktail failed"
		}
	done <"$work/$1"
	for word in "$work/$1-words"/*/*.events; do
		grep -v '^#' "$word"
		echo
	done >"$work/$1-letters"
}
mkdir "$work/real-words" "$work/model-words"
letters real
letters model

awk '
function crossing(letter) {
	return letter ~ /^(ioctl|map|unmap)/
}

FNR == 1 { side++ }

$0 == "" { cycle = ""; before = ""; next }

{
	seen[side, $1]++
	names[$1] = 1
	if (crossing($1)) {
		cycle = ""
	} else {
		if ($1 != before || $1 != "R:sys") {
			cycle = cycle (cycle == "" ? "" : " ") $1
		}
		sub(/R:reg R:sys R:reg R:sys$/, "R:reg R:sys", cycle)
		if ($1 == "W:reg") {
			count[side, cycle]++
			cycles[cycle] = 1
			cycle = ""
		}
	}
	before = $1
}

END {
	printf "%8s %8s  cycle\n", "real", "model"
	for (c in cycles) {
		printf "%8d %8d  %s\n", count[1, c], count[2, c], c | "sort -k1,1nr -k2,2nr -k3"
	}
	close("sort -k1,1nr -k2,2nr -k3")
	for (c in cycles) {
		odd += !count[1, c]
	}
	for (l in names) {
		if (!seen[2, l]) {
			only_real = only_real " " l
		}
		if (!seen[1, l]) {
			only_model = only_model " " l
		}
	}
	print "letters that REAL alone has:" (only_real == "" ? " none" : only_real)
	print "letters that MODEL alone has:" (only_model == "" ? " none" : only_model)
	exit(odd > 0)
}
' "$work/real-letters" "$work/model-letters"
