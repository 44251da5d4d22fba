#!/bin/bash
# SPDX-License-Identifier: MIT
# What recording costs a program that prints its own time ("step 7700.1 us", on standard error): runs it
# bare, then once under `ktail record` with each set of options, and so on in turn. Prints a row for each
# set: the median time, the median of the differences to the bare run of the same round in percent, and an
# interval that holds the true median with a probability of at least 95 % (order statistics, as in the sign
# test; 6 rounds or more).
# With --turns, all commands of a round start together, which saves the time of their start, and each is
# measured when the others wait; the command must ask for its turn (corpus/programs/turn.py).
# Usage: pairs.sh [--turns] ROUNDS FILE COMMAND...
# FILE has a line for each set: a name, and options of ktail record (none: the default).
# Such as: pairs.sh --turns 15 tests/bench/pairs-all.txt python3 corpus/programs/torch-step.py 200
set -u
turns=
[ "${1-}" != --turns ] || { turns=1; shift; }
[ $# -ge 3 ] || { sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2; exit 2; }
rounds=$1 sets=$2
shift 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
command=("$@")

time_of() { # FILE of standard error: prints the time
	grep -oE '[0-9.]+ us' "$1" | awk '{ found = $1 } END { if (!found) exit 1; print found }' ||
		{ cat "$1" >&2; echo "pairs.sh: the command printed no time" >&2; exit 2; }
}

run() { # NAME [OPTION...]: output and standard error go to files of that name
	local name=$1
	shift
	rm -rf "$work/trace.$name" "$work/turn.$name.ready"
	[ -z "$turns" ] || export TURN=$work/turn.$name
	if [ "$name" = bare ]; then
		"${command[@]}"
	else
		ktail record --lossless -o "$work/trace.$name" "$@" -- "${command[@]}"
	fi >"$work/out.$name" 2>"$work/err.$name" </dev/null
	rm -rf "$work/trace.$name"
}

names=(bare)
options=('')
while read -r name rest; do
	names+=("$name") options+=("$rest")
done < <(grep -v '^#' "$sets")

run_all() {
	local n=${#names[@]} i at
	if [ -z "$turns" ]; then
		for i in "${!names[@]}"; do
			# shellcheck disable=SC2086
			run "${names[i]}" ${options[i]}
		done
		return
	fi
	local pids=()
	for i in "${!names[@]}"; do
		# shellcheck disable=SC2086
		run "${names[i]}" ${options[i]} &
		pids+=($!)
	done
	for i in "${!names[@]}"; do
		until [ -e "$work/turn.${names[i]}.ready" ]; do
			kill -0 "${pids[i]}" 2>/dev/null || { cat "$work/err.${names[i]}" >&2; exit 2; }
			sleep 0.1
		done
	done
	for i in "${!names[@]}"; do # each round begins with another one
		at=$(((i + $1) % n))
		echo >"$work/turn.${names[at]}"
		wait "${pids[at]}"
	done
}

"${command[@]}" >"$work/expected" 2>"$work/err" || { cat "$work/err" >&2; exit 2; } # warms caches up
[ -z "$turns" ] || for name in "${names[@]}"; do mkfifo "$work/turn.$name" || exit 2; done
for round in $(seq "$rounds"); do
	run_all "$round"
	bare=$(time_of "$work/err.bare") || exit 2
	for name in "${names[@]:1}"; do
		time=$(time_of "$work/err.$name") || exit 2
		cmp -s "$work/expected" "$work/out.$name" || echo "pairs.sh: $name: other output than bare" >&2
		grep -q ' 0 lost' "$work/err.$name" || echo "pairs.sh: $name: events were lost" >&2
		echo "$name $bare $time"
	done
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
