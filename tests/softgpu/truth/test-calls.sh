#!/bin/sh
# SPDX-License-Identifier: MIT
# ktail record --api=wrap on the software GPU: every letter is attributed to the call that the
# driver itself recorded. Runs all workloads of recordings.tsv, several threads, both versions
# of the driver and the transfer methods.
# Usage: test-calls.sh BUILD SOURCE
set -u
build=$1
source=$2
bin=$build/bin
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
[ -e "$build/lib/ktail-softgpu/libcuda.so.1" ] || exit 77

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# check VERSION TRANSFER WORKLOAD ARGUMENT...
check() {
	version=$1
	transfer=$2
	program=$bin/corpus/$3
	shift 3
	rm -rf "$work/trace" "$work/labels.tsv"
	KTAIL_SOFTGPU_LABELS=$work/labels.tsv "$bin/ktail" record --api=wrap --softgpu \
		--softgpu-driver "$version" --softgpu-transfer "$transfer" \
		--subbuf-size 262144 --num-subbuf 4 -o "$work/trace" -- "$program" "$@" \
		>"$work/out" 2>&1 && grep -q ' 0 lost' "$work/out" || {
		fail "record ${program##*/} $*: $(cat "$work/out")"
		return
	}
	"$bin/check-calls" "$work/trace" "$work/labels.tsv" >"$work/checked" || {
		fail "version $version, by $transfer, ${program##*/} $*:"
		head -n 20 "$work/checked"
	}
	grep -q ', outside calls: 0, wrong: 0; calls: [1-9][0-9]*, not returned: 0$' "$work/checked" ||
		fail "${program##*/} $*: $(tail -n 1 "$work/checked")"
	echo "${program##*/} $*: $(tail -n 1 "$work/checked")"
}

tab=$(printf '\t')
while IFS=$tab read -r name _ command <&3; do
	case $name in
	'' | '#'*) continue ;;
	esac
	# shellcheck disable=SC2086 # a line of the table is words
	check 2 dma $command
done 3<"$source/corpus/recordings.tsv"
check 1 dma graphs --nodes 10 --launches 3
check 2 dma streams --threads 4 --streams 4 --rounds 3
check 1 dma streams --threads 3 --streams 2 --rounds 2 --blocking
check 2 mapped streams --threads 2 --rounds 1
check 2 window copies --max 65536
check 2 chunk1 vadd
check 2 chunk4 streams --threads 2 --rounds 1

# Verifies that the check detects an error.
sed -i 's/cuDevicePrimaryCtxRetain/cuCtxCreate/' "$work/labels.tsv"
"$bin/check-calls" "$work/trace" "$work/labels.tsv" >"$work/checked" &&
	fail "another call is taken for the right one"
[ "$failures" -eq 0 ]
