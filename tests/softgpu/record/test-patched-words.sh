#!/bin/sh
# SPDX-License-Identifier: MIT
# Workloads on the software GPU: words with patched loads and stores equal words without
# (--doorbell=protect), letter for letter, except that the length of a poll depends on the speed. In
# every workload, sites are patched, and accesses at them reported.
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

for workload in 'vadd' 'copies' 'graphs' 'streams --streams 1 --rounds 30' 'microbench'; do
	words "$scratch/plain" --doorbell=protect -- "$build/bin/corpus"/$workload
	words "$scratch/patched" --doorbell=patch -- "$build/bin/corpus"/$workload
	[ "$(counter "$scratch/err" 'patched sites')" -gt 0 ] &&
		[ "$(counter "$scratch/err" 'patched accesses')" -gt 0 ] ||
		fail "$workload: nothing was patched"
	[ -s "$scratch/plain" ] && diff "$scratch/plain" "$scratch/patched" ||
		fail "$workload: other words with patched loads and stores"
	words "$scratch/checked" --doorbell=patch --rings=check -- "$build/bin/corpus"/$workload
	has_counters "$scratch/err" '0 unobserved entries' &&
		! grep -q 'differ from the observed stores' "$scratch/err" ||
		fail "$workload: rings are not what the patched stores wrote"
done

[ "$failures" -eq 0 ]
