#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: make.sh
# Compiles kernels.ptx for sm_90 with the ptxas of a CUDA toolkit and writes the bytes of the
# cubin to kernels-sm90.inc, with the hash of their source. The build does not need a toolkit.
set -eu
cd "$(dirname "$0")"
cubin=$(mktemp)
trap 'rm -f "$cubin"' EXIT
ptxas --gpu-name sm_90 --output-file "$cubin" kernels.ptx
{
	printf '/* SPDX-License-Identifier: MIT */\n/*\n * Written by make.sh: the cubin of kernels.ptx for sm_90.\n'
	printf ' * ptxas: %s\n' "$(ptxas --version | sed -n 's/^Cuda compilation tools, //p')"
	printf ' * sha256 of kernels.ptx: %s\n' "$(sha256sum <kernels.ptx | cut -d' ' -f1)"
	printf ' * sha256 of the cubin: %s\n */\n' "$(sha256sum <"$cubin" | cut -d' ' -f1)"
		od -An -v -tu1 -w20 "$cubin" | sed 's/^ *//; s/  */,/g; s/^/\t/; s/$/,/'
} >kernels-sm90.inc
