#!/bin/sh
# SPDX-License-Identifier: MIT
# Random calls agree with their model: with one context and several, one thread and several.
# Usage: test-random.sh PROGRAM TRANSFER VERSION
set -u
program=$1
export KTAIL_SOFTGPU_TRANSFER="$2" KTAIL_SOFTGPU_DRIVER="$3"
failed=0

try() {
	timeout 300 "$program" "$@" || {
		echo "failed ($?): $*"
		failed=$((failed + 1))
	}
}

for seed in 1 2 3; do
	try "$seed" 400 1 1
	try "$seed" 400 1 3
done
try 4 150 4 2
try 5 150 4 1 shared
try 6 150 4 2 shared
[ "$failed" -eq 0 ]
