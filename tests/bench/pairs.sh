#!/bin/bash
# SPDX-License-Identifier: MIT
# What recording costs a program that prints its own time ("step 7700.1 us", on standard error): runs it
# bare, then once under `ktail record` with each set of options, and so on in turn. Prints a row for each
# set: the median time, the median of the differences to the bare run of the same round in percent, and an
# interval that holds the true median with a probability of at least 95 % (order statistics, as in the sign
# test; 6 rounds or more).
# Usage: pairs.sh ROUNDS FILE COMMAND...
# FILE has a line for each set: a name, and options of ktail record (none: the default).
# Such as: pairs.sh 15 tests/bench/pairs-doorbells.txt python3 corpus/programs/torch-step.py 60
set -u
[ $# -ge 3 ] || { sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2; exit 2; }
rounds=$1 sets=$2
shift 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

time_of() { # FILE of standard error: prints the time
	grep -oE '[0-9.]+ us' "$1" | awk '{ found = $1 } END { if (!found) exit 1; print found }' ||
		{ cat "$1" >&2; echo "pairs.sh: the command printed no time" >&2; exit 2; }
}

"$@" >"$work/expected" 2>"$work/err" || { cat "$work/err" >&2; exit 2; } # warms caches up
for _ in $(seq "$rounds"); do
	"$@" >/dev/null 2>"$work/err"
	bare=$(time_of "$work/err") || exit 2
	while read -r name options; do
		rm -rf "$work/trace"
		# shellcheck disable=SC2086
		ktail record --lossless -o "$work/trace" $options -- "$@" >"$work/out" 2>"$work/err" </dev/null
		time=$(time_of "$work/err") || exit 2
		cmp -s "$work/expected" "$work/out" || echo "pairs.sh: $name: other output than bare" >&2
		grep -q ' 0 lost' "$work/err" || echo "pairs.sh: $name: events were lost" >&2
		echo "$name $bare $time"
	done < <(grep -v '^#' "$sets")
done >"$work/rows"

printf '| %s | %s | %s | %s | %s |\n' options 'bare, us' 'recorded, us' 'difference, %' '95 % interval, %'
echo '|---|---|---|---|---|'
while read -r name options; do
	awk -v name="$name" -v options="$options" '
	function sort(v, n,    i, k, x) {
		for (i = 2; i <= n; i++) {
			x = v[i]
			for (k = i - 1; k > 0 && v[k] > x; k--) v[k + 1] = v[k]
			v[k + 1] = x
		}
	}
	function median(v, n) { return (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2 }
	$1 == name { n++; bare[n] = $2; with[n] = $3; d[n] = 100 * ($3 - $2) / $2 }
	END {
		sort(bare, n); sort(with, n); sort(d, n)
		# The largest rank from both ends whose tails hold at most 2.5 % each.
		term = 0.5 ^ n
		for (tail = term; tail <= 0.025; tail += term) { term *= (n - rank) / (rank + 1); rank++ }
		interval = rank ? sprintf("%.1f to %.1f", d[rank], d[n + 1 - rank]) : "too few rounds"
		printf "| `%s` | %.1f | %.1f | %.1f | %s |\n", options ? options : "(default)", median(bare, n),
			median(with, n), median(d, n), interval
	}' "$work/rows"
done < <(grep -v '^#' "$sets")
