#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs each third-party program (programs/*.py) without and with `ktail record`, compares output
# and exit status, and prints one row for each program. A program whose library is not installed
# is reported as absent.
# Usage: corpus/programs.sh [--python PROGRAM] [--ktail PROGRAM] [--out DIR] [--repeat N]
#        [-- RECORD-OPTION...]
# Exit status: 0 if every program that ran had the same output and lost no events; 1 otherwise;
# 2 usage.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 2
python=python3
ktail=${KTAIL:-ktail}
out=''
repeat=2
while [ $# -gt 0 ]; do
	case $1 in
	--) shift; break ;;
	--python | --ktail | --out | --repeat)
		[ $# -ge 2 ] || { echo "programs.sh: $1 needs an argument" >&2; exit 2; } ;;
	*) echo "programs.sh: unknown argument '$1'" >&2; exit 2 ;;
	esac
	case $1 in
	--python) python=$2 ;;
	--ktail) ktail=$2 ;;
	--out) out=$2 ;;
	--repeat) repeat=$2 ;;
	esac
	shift 2
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=${out:-$scratch/out}
mkdir -p "$out"
failures=0

now() { date +%s.%N; }

# timed FILE COMMAND...: runs COMMAND, with its standard output in FILE and its standard error in
# FILE.err. Sets `status` and `took` (seconds).
timed() {
	file=$1
	shift
	begin=$(now)
	timeout 300 "$@" >"$file" 2>"$file.err"
	status=$?
	took=$(echo "$begin $(now)" | awk '{ print $2 - $1 }')
}

fastest() { printf '%s\n' "$@" | sort -n | head -1; }

printf 'program\tbare s\trecorded s\tevents\tlost\tdoorbells\tsame output\n'
for script in "$here"/programs/*.py; do
	name=$(basename "$script" .py)
	library=${name%%-*}
	if ! "$python" -c "import $library" >/dev/null 2>&1; then
		printf '%s\tabsent: no %s here\n' "$name" "$library"
		continue
	fi
	bare_times=''
	recorded_times=''
	for i in $(seq "$repeat"); do
		timed "$scratch/bare" "$python" "$script"
		bare=$status
		bare_times="$bare_times $took"
		rm -rf "$out/$name"
		timed "$scratch/recorded" "$ktail" record "$@" -o "$out/$name" -- "$python" "$script"
		recorded_times="$recorded_times $took"
	done
	same=yes
	if [ "$status" != "$bare" ] || [ "$bare" != 0 ] || ! cmp -s "$scratch/bare" "$scratch/recorded"; then
		same="NO ($bare $status)"
		tail -3 "$scratch/bare.err" >&2
		failures=$((failures + 1))
	fi
	line=$(grep '^ktail: recorded' "$scratch/recorded.err")
	lost=$(echo "$line" | sed -n 's/.* \([0-9]*\) lost.*/\1/p')
	[ "$lost" = 0 ] || failures=$((failures + 1))
	# shellcheck disable=SC2086
	printf '%s\t%.2f\t%.2f\t%s\t%s\t%s\t%s\n' "$name" "$(fastest $bare_times)" \
		"$(fastest $recorded_times)" "$(echo "$line" | sed -n 's/.*recorded \([0-9]*\) events\{0,1\}.*/\1/p')" \
		"$lost" "$(echo "$line" | sed -n 's/.* \([0-9]*\) doorbells\{0,1\}.*/\1/p')" "$same"
	grep '^ktail: ' "$scratch/recorded.err" >"$out/$name.said"
	cat "$scratch/recorded" >"$out/$name.out"
done
[ "$failures" = 0 ]
