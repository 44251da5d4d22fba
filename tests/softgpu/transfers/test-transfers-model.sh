#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests transfers-model: its label, its two output formats, its exit statuses.
# Usage: test-transfers-model.sh PROGRAM
set -u

program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

expect() { # STATUS PATTERN ARGUMENT...
	want=$1
	pattern=$2
	shift 2
	"$program" "$@" >"$scratch/out" 2>&1
	got=$?
	if [ "$got" != "$want" ] || ! grep -q -e "$pattern" "$scratch/out"; then
		echo "FAILED: transfers-model $*: status $got, not $want, or not '$pattern' in:"
		cat "$scratch/out"
		failures=$((failures + 1))
	fi
}

tab=$(printf '\t')
printf 'm\tmapped\tto-device\t1000\t1000\t0\torder\tx\n' >"$scratch/table"
printf 'm\tdma\tto-device\t5000\t5000\t0\torder\tx\n' >>"$scratch/table"
printf 'm\tinline\tto-device\t10\t10\t4\tmeasured\tx\n' >>"$scratch/table"

expect 0 'model, not a measurement' # beside the program
expect 0 'usage: transfers-model' --help
expect 0 '^m, to-device: nanoseconds (model, not a measurement' "$scratch/table"
expect 0 'dma is faster than mapped from 5001 bytes on' "$scratch/table"
expect 0 '^      8192          9192           6639\*             - $' "$scratch/table"
expect 0 '^# model, not a measurement$' --tsv "$scratch/table"
expect 0 "^crossover${tab}m${tab}to-device${tab}dma${tab}mapped${tab}5001${tab}6001\$" \
	--tsv "$scratch/table"
expect 0 "^time${tab}m${tab}to-device${tab}inline${tab}-${tab}4${tab}410\$" --tsv "$scratch/table"
expect 0 "dma" --methods=dma,inline --tsv "$scratch/table"
! grep -q mapped "$scratch/out" || {
	echo "FAILED: --methods shows others"
	failures=$((failures + 1))
}
expect 0 '^h200, from-device' --model h200
expect 2 'no row for that model' --model none
expect 2 'no row for that model' --methods dm
expect 2 'open /no/such/table' /no/such/table
expect 2 "unexpected argument 'b'" a b
expect 2 'unknown option' --bogus
echo 'm dma' >"$scratch/bad"
expect 3 'bad:1: expected 8 tab-separated fields, found 1' "$scratch/bad"

[ "$failures" = 0 ] && echo "all as expected"
[ "$failures" = 0 ]
