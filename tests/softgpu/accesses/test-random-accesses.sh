#!/bin/sh
# SPDX-License-Identifier: MIT
# Random code of one thread on the software GPU gives the same registers, memory, words and, with
# --access=exact, accesses: without patches, with them, and with each site patched at its first
# fault. Usage: test-random-accesses.sh BUILD
#        (KTAIL_ACCESS_SEEDS=N in the environment: N seeds; KTAIL_ACCESS_FIRST: the first)
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../collect/counters.sh"
build=$1
first=${KTAIL_ACCESS_FIRST:-0}
end=$((first + ${KTAIL_ACCESS_SEEDS:-200}))
each=40 # seeds in one process, whose patched sites are limited
program=$build/bin/random-accesses
softgpu=$build/lib/ktail-softgpu/libktail-softgpu.so
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"

fail() {
	echo "FAILED: seeds from $first on: $*"
	failures=$((failures + 1))
}

# letters TRACE ALPHABET [OPTION...]: in TRACE.ALPHABET
letters() {
	of=$1
	alphabet=$2
	shift 2
	"$build/bin/ktail" words --alphabet "$alphabet" "$@" "$of" -o "$of.words" ||
		fail "$of: no words"
	grep -v '^#' "$of.words"/*.events >"$of.$(basename "$alphabet")"
	rm -rf "$of.words"
}

# record NAME FAULTS OPTION...
record() {
	trace=$scratch/$1
	rm -rf "$trace" "$trace".*
	KTAIL_RECORD_HOT_FAULTS=$2
	export KTAIL_RECORD_HOT_FAULTS
	shift 2
	LD_PRELOAD=$softgpu timeout 120 "$build/bin/ktail-record" -v --lossless "$@" -o "$trace" \
		-- "$program" "$first" "$each" >"$trace.out" 2>"$trace.err" ||
		fail "$trace: status $?"
	cmp "$scratch/bare" "$trace.out" || fail "$trace: other registers or memory"
	grep -q ' 0 lost' "$trace.err" || fail "$trace: $(cat "$trace.err")"
	letters "$trace" table1
	letters "$trace" roles
	case $* in
	# The program polls only its semaphore, mapping 8.
	*exact*) letters "$trace" "$here/accesses.rules" --runs 'R 8 0x0 4' ;;
	esac
}

# record_all ACCESS: without patches, with them, and with all; everything must be the same.
record_all() {
	failures=0
	record "$1" 16 --access="$1" --doorbell=protect
	! grep -q '[1-9]  patched' "$trace.err" || fail "$1: patched without patches"
	for faults in 16 1; do
		name=$1-$faults
		record "$name" "$faults" --access="$1" --doorbell=patch
		[ "$(counter "$trace.err" 'patched sites')" -gt 100 ] ||
			fail "$name: hardly any site is patched"
		for letters in table1 roles accesses.rules; do
			[ ! -s "$scratch/$1.$letters" ] ||
				diff -u "$scratch/$1.$letters" "$trace.$letters" >"$trace.diff" || {
				fail "$name: other letters of $letters"
				head -n 20 "$trace.diff"
			}
		done
	done
	return "$failures"
}

failed=0
while [ "$first" -lt "$end" ]; do
	LD_PRELOAD=$softgpu "$program" "$first" "$each" >"$scratch/bare" || failed=1
	record_all coalesced &
	other=$!
	record_all exact || failed=1
	wait "$other" || failed=1
	for letters in table1 roles; do
		[ -s "$scratch/exact.$letters" ] &&
			cmp "$scratch/coalesced.$letters" "$scratch/exact.$letters" || failed=1
	done
	[ -s "$scratch/exact.accesses.rules" ] || failed=1
	first=$((first + each))
done
[ "$failed" = 0 ]
