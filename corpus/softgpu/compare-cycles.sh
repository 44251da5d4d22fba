#!/bin/sh
# SPDX-License-Identifier: MIT
# How two sets of traces submit work: the letters from one doorbell store to the next. Polls,
# whose number is a matter of time, count once: R:sys R:sys as R:sys, and R:reg R:sys (a look at
# the clock, then at memory) likewise. Tells which of these cycles, and which letters, only one
# of the two has.
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
ioctl, map or unmap between) how often the traces REAL and the traces MODEL have it, then the
letters that only one side has.

exit status: 0 MODEL has no cycle that REAL does not have; 1 it has; 2 usage or I/O.
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

# letters SIDE: the words of its traces, one letter a line, a blank line behind each word.
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
