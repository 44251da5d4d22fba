#!/bin/sh
# SPDX-License-Identifier: MIT
# A cubin in the build must be that of its source: the file made by make.sh names both hashes.
# Usage: test-kernels.sh SOURCE CUBIN
set -eu
grep -q "sha256 of ${1##*/}: $(sha256sum < "$1" | cut -d' ' -f1)\$" "$2"
sed '1,/\*\//d' "$2" | tr -s ',\n\t' ' ' | awk '{for (i = 1; i <= NF; i++) printf "\\%03o", $i}' |
	xargs -0 printf '%b' | sha256sum | cut -d' ' -f1 | grep -qf - "$2"
