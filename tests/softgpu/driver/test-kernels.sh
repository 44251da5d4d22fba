#!/bin/sh
# SPDX-License-Identifier: MIT
# The cubin in the build must be that of kernels.ptx: kernels-sm90.inc names the hashes of both.
# Usage: test-kernels.sh FOLDER
set -eu
cd "$1"
grep -q "sha256 of kernels.ptx: $(sha256sum < kernels.ptx | cut -d' ' -f1)$" kernels-sm90.inc
sed '1,/\*\//d' kernels-sm90.inc | tr -s ',\n\t' ' ' | awk '{for (i = 1; i <= NF; i++) printf "\\%03o", $i}' |
	xargs -0 printf '%b' | sha256sum | cut -d' ' -f1 | grep -qf - kernels-sm90.inc
