#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the table of traps: a line TRAP(name) for each function that the given libraries
# and their dependencies except libc import and that is not on the safe list. Usage:
# make-traps.sh SAFE LIBRARY...
set -eu

safe=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
LC_ALL=C
export LC_ALL

ldd "$@" | sed -n 's/^.* => \(\/[^ ]*\) .*/\1/p' | sort -u >"$work/needed"
grep -E '/(libc|libm|libdl|libpthread|librt)\.so' "$work/needed" >"$work/libc"
{
	printf '%s\n' "$@"
	grep -vE '/(libc|libm|libdl|libpthread|librt|libasan|libtsan|libubsan|libgcc_s)\.so' \
		"$work/needed"
} | sort -u >"$work/watched"

# names NM-OPTION TYPES: prints the symbols of TYPES in the files that standard input lists
names() {
	xargs nm -D "$1" 2>/dev/null |
		awk -v types="$2" 'NF >= 2 { type = $(NF - 1); name = $NF; sub(/@.*/, "", name)
			if (index(types, type)) print name }' | sort -u
}

names --undefined-only Uw <"$work/watched" >"$work/taken"
names --defined-only TWi <"$work/libc" >"$work/functions"
names --defined-only TWiBDRV <"$work/watched" >"$work/own"
sed 's/#.*//; s/[[:space:]].*//; /^$/d' "$safe" | sort -u >"$work/safe"

# Some functions of the recorder interpose functions of libc with the same name; libc's are trapped
# as well.
comm -12 "$work/taken" "$work/functions" | comm -23 - "$work/safe" | sed 's/.*/TRAP(&)/'
