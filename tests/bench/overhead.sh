#!/bin/bash
# SPDX-License-Identifier: MIT
# Compares the overhead that ktail record --overhead reports with wall times, bare and recorded in turn.
# Prints a row for each pair, then the medians; exit status 1 if the median of the differences is above
# POINTS percentage points. The command should run for at least 5 s on an idle machine, because the start
# of LTTng (0.1 s) is in the wall time alone.
# Usage: overhead.sh BUILD PAIRS POINTS [RECORD-OPTION...] -- COMMAND...
# Such as: overhead.sh build/dev 15 2 --softgpu --overhead=1000 -- build/dev/bin/corpus/microbench -r 100000
#          overhead.sh build/dev 15 2 --overhead=25 --doorbell=patch -- python3 corpus/programs/torch-step.py 600
set -u
[ $# -ge 5 ] || { sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2; exit 2; }
build=$(realpath "$1") pairs=$2 points=$3
shift 3
options=() bare=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	[ "$1" != --softgpu ] || bare=("$build/bin/ktail" softgpu --)
	options+=("$1")
	shift
done
[[ " ${options[*]} " == *' --overhead='* ]] || { echo 'overhead.sh: --overhead is missing' >&2; exit 2; }
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

median() { sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

seconds() { # FILE of measure-command
	awk -F '\t' '$1 == "done" { print $2; found = 1 } END { exit !found }' "$1" ||
		{ cat "$work/err" >&2; echo "overhead.sh: the command failed" >&2; exit 2; }
}

printf '%8s %10s %11s %11s %8s\n' 'bare s' 'recorded s' 'measured %' 'reported %' points
for _ in $(seq "$pairs"); do
	"$build/bin/measure-command" 3600 "${bare[@]}" "$@" >"$work/bare" 2>"$work/err"
	b=$(seconds "$work/bare") || exit 2
	rm -rf "$work/trace"
	"$build/bin/ktail" record -o "$work/trace" "${options[@]}" -- \
		"$build/bin/measure-command" 3600 "$@" >"$work/recorded" 2>"$work/err"
	r=$(seconds "$work/recorded") || exit 2
	reported=$(sed -n 's/^ktail: overhead \([0-9.]*\) %.*/\1/p' "$work/err")
	[ -n "$reported" ] || { cat "$work/err" >&2; exit 2; }
	grep '^ktail: warning: ' "$work/err" | sort -u >&2
	awk -v b="$b" -v r="$r" -v said="$reported" 'BEGIN { m = 100 * (r - b) / b
		printf "%8.2f %10.2f %11.1f %11.1f %8.1f\n", b, r, m, said, said - m }' | tee -a "$work/rows"
done
measured=$(awk '{ print $3 }' "$work/rows" | median)
reported=$(awk '{ print $4 }' "$work/rows" | median)
difference=$(awk '{ print $5 }' "$work/rows" | median)
echo "median: measured $measured %, reported $reported %, difference $difference points (limit $points)"
awk -v d="$difference" -v most="$points" 'BEGIN { exit !(d >= -most && d <= most) }'
