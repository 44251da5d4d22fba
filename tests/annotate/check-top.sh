#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail top with recorded traces: a golden file; sums over all seconds against ktail stats; a
# terminal; parts of traces, damaged traces, wrong usage.
#   check-top.sh KTAIL DATA CORPUS
ktail=$1 data=$2 corpus=$3
program=("$ktail" top)
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/golden.sh"
cd "$data" || exit 2

# --- golden ---
golden top-figures.txt figures
golden top-channels.txt --by channel unrung
golden top-classes.txt --by class --sort class --columns class,doorbells,bytes,events submissions

# --- sums over all seconds, against those of ktail stats ---
# sums UNIT COLUMN: prints them for each row of $out/got and, if rows are calls, for all
sums() {
	awk -F '  +' -v key="$1" -v name="$2" '
		/^#/ { at = 0; head = 1; next }
		head {
			head = 0
			for (i = 1; i <= NF; i++) {
				if ($i == name) at = i
				if ($i == key) of = i
			}
			next
		}
		at && NF > 1 && ($1 != "all" || key == "call") { sum[$of] += $at }
		END { for (row in sum) if (sum[row] > 0) print row, sum[row] }' "$out/got" | LC_ALL=C sort
}

# by_stats UNIT COLUMN [COLUMN]: the same, from $out/stats; the second column is subtracted
by_stats() {
	awk -F '\t' -v key="$1" -v name="$2" -v less="$3" '
		NR == 1 {
			for (i = 1; i <= NF; i++) column[$i] = i
			next
		}
		$1 != "all" || key == "call" {
			sum[$column[key]] += $column[name] - (less ? $column[less] : 0)
		}
		END { for (row in sum) if (sum[row] > 0) print row, sum[row] }' "$out/stats" | LC_ALL=C sort
}

# equal UNIT COLUMN COLUMN-OF-STATS...
equal() {
	sums "$1" "$2" > "$out/sums"
	by_stats "$1" "${@:3}" > "$out/want"
	cmp "$out/want" "$out/sums" || { diff "$out/want" "$out/sums"; fail "$trace: $1 $2"; }
}

for trace in figures gaps unrung lossy submissions "$corpus"/traces/vadd-4k \
	"$corpus"/calls/{graphs-50,micro-c2-s4-r10-mixed,streams-threads}; do
	for unit in call channel class; do
		expect 0 --by $unit "$trace"
		"$ktail" stats -f tsv --by $unit "$trace" > "$out/stats" 2> /dev/null
		case $unit in
		call)
			[ -n "$(sums call events/s)" ] || fail "$trace: no events"
			# Calls are counted when they return.
			equal call calls/s calls unreturned
			equal call doorbells/s doorbells
			equal call ioctls/s ioctls
			;;
		channel) equal channel events/s entries ;;
		class) equal class events/s methods ;;
		esac
		equal $unit bytes/s bytes
		equal $unit launches/s launches
	done
done

# --- a terminal: each table begins with a cleared screen, and fits ---
terminal() {
	TERM=xterm script -qec "stty cols 80 rows 12; $*" /dev/null < /dev/null | tr -d '\r'
}
terminal "$ktail" top "$corpus/calls/graphs-50" > "$out/screen"
grep -q $'^\e\\[H\e\\[J# ' "$out/screen" || fail "no clear screen: $(cat -v "$out/screen")"
[ "$(wc -l < "$out/screen")" -le 11 ] || fail "more than a screen"
grep -q '^([0-9]* more rows)$' "$out/screen" || fail "rows are missing, which it does not say"
grep -q '^all ' "$out/screen" || fail "no sum on a terminal"
[ -z "$(sed 's/\x1b\[[0-9]*[mHJ]//g' "$out/screen" | awk 'length($0) > 80 && !/^#/')" ] || fail "wider than 80"
terminal "$ktail" top -b "$corpus/calls/graphs-50" > "$out/screen"
! grep -q $'\e\\[H' "$out/screen" || fail "-b clears the screen"
grep -q 'copies/s' "$out/screen" || fail "-b leaves columns out"

# --- options ---
expect 0 --sort=-call --columns call,calls "$corpus/calls/vadd-4k"
sed -n '3,/^all/p' "$out/got" | grep -v '^all' | sed 's/  .*//' > "$out/calls"
LC_ALL=C sort -r -c "$out/calls" || fail "--sort"
expect 0 --count 1 "$corpus/calls/vadd-4k"
[ "$(grep -c '^# ' "$out/got")" = 1 ] || fail "--count"
expect 0 --process deep unrung
[ "$(awk '/^all / { print $2 }' "$out/got")" -lt "$("$ktail" top unrung | awk '/^all / { print $2 }')" ] ||
	fail "--process"
expect 2 --process nobody unrung
says 'find process nobody'
expect 0 names
! grep -q $'\e' "$out/got" || fail "an escape character"

# --- damaged traces, wrong usage ---
expect 0 lossy
says 'missing'
expect 2
says 'no session or trace given'
expect 2 figures gaps
says 'only one'
expect 2 --sort colour figures
says 'colour'
expect 2 --count 0 figures
expect 2 no-such-trace
says 'no-such-trace'
[ ! -e /dev/full ] || { "$ktail" top figures > /dev/full 2> "$out/said" && fail "a full disk"; }
exit 0
