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
exit "$((failures > 0))"
