#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: make.sh SOURCE CUBIN
# Compiles SOURCE (.ptx or .cu) for sm_90 with a CUDA toolkit's ptxas or nvcc and writes the bytes of
# the cubin to CUBIN, for #include, with both hashes. The build needs no toolkit.
#   ./make.sh kernels.ptx kernels-sm90.inc
#   ./make.sh ../../../../tests/softgpu/driver/needs.cu ../../../../tests/softgpu/driver/needs-sm90.inc
set -eu
cubin=$(mktemp)
trap 'rm -f "$cubin"' EXIT
case $1 in
*.ptx) ptxas --gpu-name sm_90 --output-file "$cubin" "$1" ;;
*) nvcc -arch=sm_90 -cubin -o "$cubin" "$1" ;;
esac
{
	printf '/* SPDX-License-Identifier: MIT */\n/*\n * Written by make.sh: the cubin of %s for sm_90.\n' \
		"${1##*/}"
	printf ' * ptxas: %s\n' "$(ptxas --version | sed -n 's/^Cuda compilation tools, //p')"
	printf ' * sha256 of %s: %s\n' "${1##*/}" "$(sha256sum <"$1" | cut -d' ' -f1)"
	printf ' * sha256 of the cubin: %s\n */\n' "$(sha256sum <"$cubin" | cut -d' ' -f1)"
	od -An -v -tu1 -w20 "$cubin" | sed 's/^ *//; s/  */,/g; s/^/\t/; s/$/,/'
} >"$2"
