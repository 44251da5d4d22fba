#!/bin/sh
# SPDX-License-Identifier: MIT
# Words of a driver whose device stands still at random moments, long enough that the driver
# must wait everywhere it can: for completions, for entries of a full ring, for bytes of a full
# pushbuffer, for staging memory. The truth must accept them all.
# Usage: test-stand-still.sh BUILD SOURCE
set -u
build=$1
softgpu=$2/corpus/softgpu
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
[ -e "$build/lib/ktail-softgpu/libcuda.so.1" ] || exit 77

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# record PROGRAM [ARGUMENT...]: records to $work/trace. On a busy machine a program can end
# before its device's thread is found (status 125): nothing was tested then, so it runs again.
record() {
	for attempt in 1 2 3 4 5; do
		rm -rf "$work/trace" "$work/labels.tsv"
		status=0
		# shellcheck disable=SC2086 # three words
		"$build/bin/stand-still" $settings "$build/bin/ktail" record --softgpu \
			--subbuf-size 262144 --num-subbuf 4 -o "$work/trace" -- "$@" \
			>"$work/recorded" 2>&1 || status=$?
		[ "$status" = 125 ] || return "$status"
		echo "attempt $attempt: the device's thread was not found in time"
	done
	return "$status"
}

# check SEED RUN-US STAND-US WORKLOAD [ARGUMENT...]: its word is $work/words/*.events
check() {
	settings="$1 $2 $3"
	program=$build/bin/corpus/$4
	shift 4
	rm -rf "$work/words"
	record "$program" "$@" || {
		fail "${program##*/} $*: status $status: $(cat "$work/recorded")"
		return
	}
	"$build/bin/ktail" words --strict "$work/trace" -o "$work/words" >"$work/out" 2>&1 || {
		fail "${program##*/} $*: no words: $(cat "$work/out" "$work/recorded")"
		return
	}
	"$build/bin/check-truth" "$softgpu/truth.json" "$work/words" >"$work/fit" || {
		fail "${program##*/} $* ($settings): the truth does not accept its word"
		head -n 12 "$work/fit"
	}
}

# begins CALL N: tests whether the driver started to poll at least N times in one such
# call. The driver reads the timer whenever it starts to poll, and a launch polls only for
# space.
begins() {
	awk -F '\t' -v call="$1" -v least="$2" '
		$4 == "enter" { inside = $5 == call; n = 0 }
		$4 == "label" && $5 == "read timer" && inside && ++n == least { found = 1 }
		END { exit !found }' "$KTAIL_SOFTGPU_LABELS"
}

# until_full WHAT CALL N WORKLOAD [ARGUMENT...]: makes several trials, because the device stops
# at random moments.
until_full() {
	what=$1
	call=$2
	least=$3
	shift 3
	for seed in 1 2 3 4 5 6 7 8; do
		check $seed 500 600000 "$@"
		begins "$call" "$least" && echo "$what: seed $seed" && return
	done
	fail "the driver has never waited for space in a $what"
}

export KTAIL_SOFTGPU_LABELS="$work/labels.tsv"
for seed in 1 2; do
	check $seed 3000 60000 copies --memory pageable
	check $seed 3000 60000 streams --streams 4 --rounds 3
	check $seed 3000 60000 streams --streams 4 --rounds 3 --blocking
	check $seed 3000 60000 microbench --contexts 2 --streams 4 --requests 10 --kind mixed \
		--length 8192
done
# More entries than a ring has, and more bytes than a pushbuffer, while the device stands still.
until_full ring cuLaunchKernel 1 microbench --requests 3000 --length 10
until_full pushbuffer cuGraphLaunch 1 graphs --nodes 2000 --launches 4 --size 32
[ "$failures" = 0 ]
