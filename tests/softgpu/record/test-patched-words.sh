#!/bin/sh
# SPDX-License-Identifier: MIT
# The workloads of recordings.tsv, and random calls, on the software GPU: words with patched loads
# and stores equal words without (--doorbell=protect), letter for letter, except that the length of a
# poll depends on the speed. So do words with each site patched at its first fault. In every workload,
# sites are patched, and accesses at them reported; rings are what the stores wrote.
# Usage: test-patched-words.sh BUILD
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../collect/counters.sh"
build=$1
corpus=$build/bin/corpus
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# words NAME FAULTS OPTION... -- PROGRAM...: in $scratch/NAME, a line for each letter, and one for
# each poll, which is a row of reads: of a semaphore, a timer, or both in turn. A site is patched
# after FAULTS faults.
words() {
	file=$scratch/$1
	KTAIL_RECORD_HOT_FAULTS=$2
	export KTAIL_RECORD_HOT_FAULTS
	shift 2
	rm -rf "$file" "$file".*
	timeout 120 "$build/bin/ktail-record" -v --softgpu --lossless -o "$file.trace" "$@" \
		>"$file.out" 2>"$file.err" &&
		"$build/bin/ktail" words "$file.trace" -o "$file.words" || {
		cat "$file.err"
		return 1
	}
	cat "$file.words"/*.events | grep -v '^#' |
		awk '/^R:/ { if (!poll) print "R:*"; poll = 1; next } { poll = 0; print }' >"$file"
}

# forced PROGRAM ARGUMENT...: each site is patched at its first fault.
forced() {
	words forced 1 --doorbell=patch --rings=check -- "$@" ||
		fail "$*: no words with every site patched at its first fault"
	has_counters "$scratch/forced.err" '0 unobserved entries' &&
		! grep -q 'differ from the observed stores' "$scratch/forced.err" ||
		fail "$*: rings are not what the patched stores wrote"
}

compare() { # PROGRAM ARGUMENT...
	words plain 16 --doorbell=protect -- "$@" &
	plain=$!
	words patched 16 --doorbell=patch -- "$@" &
	patched=$!
	forced "$@"
	wait "$plain" || fail "$*: no words"
	wait "$patched" || fail "$*: no words with patched loads and stores"
	[ "$(counter "$scratch/patched.err" 'patched sites')" -gt 0 ] &&
		[ "$(counter "$scratch/patched.err" 'patched accesses')" -gt 0 ] ||
		fail "$*: nothing was patched"
	[ -s "$scratch/plain" ] && diff "$scratch/plain" "$scratch/patched" ||
		fail "$*: other words with patched loads and stores"
	diff "$scratch/plain" "$scratch/forced" ||
		fail "$*: other words with every site patched at its first fault"
}

tab=$(printf '\t')
while IFS=$tab read -r name _ command <&3; do
	case $name in
	'' | '#'*) continue ;;
	esac
	# shellcheck disable=SC2086
	compare "$corpus"/$command
done 3<"$here/../../../corpus/recordings.tsv"
for seed in 1 2 3; do
	compare "$corpus/random-calls" $seed 300 1 3
done
# With threads, the order of letters varies; the workloads check their results themselves.
forced "$corpus/streams" --threads 8 --streams 4 --rounds 5 --size 1000
forced "$corpus/random-calls" 1 100 4 2
[ "$failures" -eq 0 ]
