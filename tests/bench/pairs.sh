#!/bin/bash
# SPDX-License-Identifier: MIT
# What recording costs a program that prints its own time ("step 7700.1 us", on standard error): runs it
# bare, then once under `ktail record` with each set of options, and so on in turn. Prints a row for each
# set: the median time, the median of the differences to the bare run of the same round in percent, and an
# interval that holds the true median with a probability of at least 95 % (order statistics, as in the sign
# test; 6 pairs or more).
# With --turns=N, the commands of a round start together, and each is measured N times while the others
# wait, so that the runs of a pair are only moments apart, and share what else the machine does. The command
# asks for its turns (corpus/programs/turn.py), and prints a time for each.
# Usage: pairs.sh [--turns=N] ROUNDS FILE COMMAND...
# FILE has a line for each set: a name, and options of ktail record (none: the default).
# Such as: pairs.sh --turns=15 5 tests/bench/pairs-all.txt python3 corpus/programs/torch-step.py 20
set -u
turns=
case ${1-} in --turns=*) turns=${1#*=}; shift ;; esac
[ $# -ge 3 ] || { sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2; exit 2; }
rounds=$1 sets=$2
shift 2
command=("$@")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

names=(bare)
options=('')
while read -r name rest; do
	names+=("$name") options+=("$rest")
done < <(grep -v '^#' "$sets")

run() { # NAME [OPTION...]: output and standard error go to files of that name
	local name=$1
	shift
	[ -z "$turns" ] || export TURN=$work/turn.$name TURNS=$turns
	if [ "$name" = bare ]; then
		"${command[@]}"
	else
		ktail record --lossless -o "$work/trace.$name" "$@" -- "${command[@]}"
	fi >"$work/out.$name" 2>"$work/err.$name" </dev/null
	rm -rf "$work/trace.$name"
}

await_ready() { # NAME PID
	until [ -e "$work/turn.$1.ready" ]; do
		kill -0 "$2" 2>/dev/null || { cat "$work/err.$1" >&2; exit 2; }
		sleep 0.05
	done
}

run_together() {
	local n=${#names[@]} pids=() i k at
	for i in "${!names[@]}"; do
		rm -f "$work/turn.${names[i]}.ready"
		# shellcheck disable=SC2086
		run "${names[i]}" ${options[i]} &
		pids+=($!)
	done
	for i in "${!names[@]}"; do
		await_ready "${names[i]}" "${pids[i]}"
	done
	for k in $(seq "$turns"); do
		for i in "${!names[@]}"; do # each turn begins with another one
			at=$(((i + k) % n))
			rm "$work/turn.${names[at]}.ready"
			echo >"$work/turn.${names[at]}"
			await_ready "${names[at]}" "${pids[at]}"
		done
	done
	wait
}

run_all() {
	local i
	[ -z "$turns" ] || { run_together; return; }
	for i in "${!names[@]}"; do
		# shellcheck disable=SC2086
		run "${names[i]}" ${options[i]}
	done
}

times_of() { # NAME: prints its times
	grep -oE '[0-9.]+ us$' "$work/err.$1" | cut -d ' ' -f 1 >"$work/times.$1"
	[ "$(wc -l <"$work/times.$1")" = "${turns:-1}" ] ||
		{ cat "$work/err.$1" >&2; echo "pairs.sh: $1: other times than expected" >&2; exit 2; }
}

if [ -n "$turns" ]; then
	for name in "${names[@]}"; do
		mkfifo "$work/turn.$name" || exit 2
	done
fi
for _ in $(seq "$rounds"); do
	run_all
	times_of bare
	for name in "${names[@]:1}"; do
		times_of "$name"
		cmp -s "$work/out.bare" "$work/out.$name" || echo "pairs.sh: $name: other output than bare" >&2
		grep -q ' 0 lost' "$work/err.$name" || echo "pairs.sh: $name: events were lost" >&2
		paste -d ' ' "$work/times.bare" "$work/times.$name" | sed "s/^/$name /"
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
