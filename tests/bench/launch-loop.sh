#!/bin/sh
# SPDX-License-Identifier: MIT
# Launches 4,000 short kernels one after another and prints the median time of a launch, for pairs.sh.
# Usage: launch-loop.sh MICROBENCH
set -u
[ $# = 1 ] || { echo "usage: launch-loop.sh MICROBENCH" >&2; exit 2; }
said=$("$1" --kind compute --length 4 --requests 4000 --times 2>&1) || { echo "$said" >&2; exit 1; }
echo "$said" | grep -o 'checksum [0-9a-f]*'
echo "$said" | awk '{ for (i = 2; i <= NF; i++) if ($(i - 1) == "median") printf "launch %.3f us\n", $i / 1000 }' >&2
