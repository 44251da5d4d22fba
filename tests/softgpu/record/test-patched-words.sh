#!/bin/sh
# SPDX-License-Identifier: MIT
# The workloads of recordings.tsv on the software GPU: words with patched loads and stores
# (--doorbell=patch) equal words without, letter for letter, except that the length of a poll depends
# on the speed. So do words with each site patched at its first fault. In every workload, sites are
# patched, and accesses at them reported.
# Usage: test-patched-words.sh BUILD
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../collect/counters.sh"
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"

fail() {
	echo "FAILED: $*"
	[ ! -s "$scratch/err" ] || sed 's/^/  /' "$scratch/err"
	failures=$((failures + 1))
}

# words FILE OPTION... -- WORKLOAD...: in FILE, a line for each letter, and one for each poll, which
# is a row of reads: of a semaphore, a timer, or both in turn.
words() {
	file=$1
	shift
	rm -rf "$scratch/trace" "$scratch/words"
	timeout 120 "$build/bin/ktail-record" -v --softgpu --lossless -o "$scratch/trace" "$@" \
		>"$scratch/out" 2>"$scratch/err" || fail "$*: status $?"
	"$build/bin/ktail" words "$scratch/trace" -o "$scratch/words" >"$scratch/out" 2>&1 ||
		fail "$*: no words"
	cat "$scratch/words"/*.events | grep -v '^#' |
		awk '/^R:/ { if (!poll) print "R:*"; poll = 1; next } { poll = 0; print }' >"$file"
}

compare() { # WORKLOAD ARGUMENT...
	words "$scratch/plain" -- "$build/bin/corpus"/"$@"
	words "$scratch/patched" --doorbell=patch -- "$build/bin/corpus"/"$@"
	[ "$(counter "$scratch/err" 'patched sites')" -gt 0 ] &&
		[ "$(counter "$scratch/err" 'patched accesses')" -gt 0 ] ||
		fail "$*: nothing was patched"
	[ -s "$scratch/plain" ] && diff "$scratch/plain" "$scratch/patched" ||
		fail "$*: other words with patched loads and stores"
	KTAIL_RECORD_HOT_FAULTS=1
	export KTAIL_RECORD_HOT_FAULTS
	words "$scratch/forced" --doorbell=patch --rings=check -- "$build/bin/corpus"/"$@"
	unset KTAIL_RECORD_HOT_FAULTS
	diff "$scratch/plain" "$scratch/forced" ||
		fail "$*: other words with every site patched at its first fault"
	has_counters "$scratch/err" '0 unobserved entries' &&
		! grep -q 'differ from the observed stores' "$scratch/err" ||
		fail "$*: rings are not what the patched stores wrote"
}

tab=$(printf '\t')
while IFS=$tab read -r name _ command <&3; do
	case $name in
	'' | '#'*) continue ;;
	esac
	# shellcheck disable=SC2086
	compare $command
done 3<"$here/../../../corpus/recordings.tsv"
[ "$failures" -eq 0 ]
