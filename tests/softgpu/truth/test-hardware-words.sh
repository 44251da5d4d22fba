#!/bin/sh
# SPDX-License-Identifier: MIT
# The true machine must accept every word of the driver's recordings on a real GPU
# (corpus/softgpu/hardware-h200.tar.zst), which must reach every program point.
# Usage: test-hardware-words.sh KTAIL CHECK-TRUTH SOURCE
set -eu
ktail=$1
check=$2
softgpu=$3/corpus/softgpu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/traces"
tar -C "$work/traces" --zstd -xf "$softgpu/hardware-h200.tar.zst"
for alphabet in table1 roles; do
	mkdir "$work/$alphabet"
	for trace in "$work"/traces/*; do
		"$ktail" words --strict --alphabet $alphabet "$trace" -o "$work/words" >/dev/null
		mv "$work"/words/*.events "$work/$alphabet"
		rm -r "$work/words"
	done
	truth=truth.json
	[ $alphabet = table1 ] || truth=truth-roles.json
	"$check" "$softgpu/$truth" "$work/$alphabet" >"$work/report"
	grep '^words accepted: 23 of 23$' "$work/report"
	! "$check" --tsv "$softgpu/$truth" "$work/$alphabet" | grep '^point	'
done
