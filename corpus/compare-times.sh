#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares times of the device in a trace with those of CUDA events. Usage:
#   ktail record --api=wrap -o TRACE -- microbench --requests N --events 2>SAID
#   compare-times.sh TRACE SAID
# Prints how many requests have both times, and the median and the greatest difference. It pairs the
# submissions of cuEventRecord in twos: of a request's first event, and of its second.
set -eu

[ $# -eq 2 ] || { echo 'usage: compare-times.sh TRACE SAID' >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^request .*: \(.*\) us$/\1/p' "$2" >"$work/said"
ktail decode --times -f json --call cuEventRecord "$1" >"$work/listing"
jq -r 'select(.type == "submission") | .device_end // "-"' "$work/listing" |
	paste - - | paste "$work/said" - |
	awk '$2 ~ /[0-9]/ && $3 ~ /[0-9]/ { d = ($3 - $2) / 1000 - $1; print d < 0 ? -d : d }' |
	sort -n | awk '
	{ difference[NR] = $1 }
	END {
		if (!NR) { print "no request has both times"; exit 1 }
		printf "%d requests: median difference %.2f us, at most %.2f us\n", NR,
			difference[int((NR + 1) / 2)], difference[NR]
	}'
