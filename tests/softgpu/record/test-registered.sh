#!/bin/sh
# SPDX-License-Identifier: MIT
# Registered pieces of the heap, whose pages the recorder closes (--pin): the device still
# reaches them, and keeps no state of its own on them.
# Usage: test-registered.sh BIN REGISTERED
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"

for bytes in 5001 20000; do
	timeout 120 "$1/ktail-record" --softgpu --pin --subbuf-size 262144 --num-subbuf 4 \
		-o "$scratch/$bytes" -- "$2" "$bytes" >"$scratch/out" 2>"$scratch/err" &&
		[ "$(cat "$scratch/out")" = ok ] || {
		echo "FAILED: $bytes bytes"
		cat "$scratch/out" "$scratch/err"
		failures=$((failures + 1))
	}
done

# With each access recorded, the alphabet of the 2013 paper has letters for registered memory.
timeout 120 "$1/ktail-record" --softgpu --pin --access=exact --subbuf-size 262144 \
	--num-subbuf 4 -o "$scratch/exact" -- "$2" 64 >"$scratch/out" 2>"$scratch/err" &&
	"$1/ktail" words -a atc13 "$scratch/exact" -o "$scratch/words" 2>"$scratch/err" || {
	echo "FAILED: exact"
	cat "$scratch/out" "$scratch/err"
	failures=$((failures + 1))
}
for letter in map R W; do
	grep -qx "$letter:pin" "$scratch"/words/*.events || {
		echo "FAILED: no letter $letter:pin"
		failures=$((failures + 1))
	}
done
grep -hvxE '#.*|ioctl:0x[0-9a-f]+|(map|R|W):(pin|reg|fb|sys)' "$scratch"/words/*.events && {
	echo "FAILED: letters that table 1 does not have"
	failures=$((failures + 1))
}
exit "$((failures > 0))"
