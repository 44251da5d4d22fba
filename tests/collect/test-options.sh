#!/bin/sh
# SPDX-License-Identifier: MIT
# What ktail record says to wrong usage, and the exit statuses of env(1).
# Usage: test-options.sh BIN
set -u

bin=$1
scratch=$(mktemp -d)
failures=0
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"
trap 'rm -rf "$scratch"' EXIT

expect() { # STATUS PATTERN ARGUMENT...
	want=$1
	pattern=$2
	shift 2
	"$bin/ktail-record" "$@" >"$scratch/out" 2>&1
	got=$?
	if [ "$got" != "$want" ] || ! grep -q -e "$pattern" "$scratch/out"; then
		echo "FAILED: ktail-record $*: status $got, not $want, or not '$pattern' in:"
		cat "$scratch/out"
		failures=$((failures + 1))
	fi
}

small='--subbuf-size 65536 --num-subbuf 4'
touch "$scratch/file"
mkdir "$scratch/full" && touch "$scratch/full/x"
expect 0 'usage: ktail record' --help
expect 0 '^ktail [0-9]' --version
expect 125 '-o DIR is missing' -- true
expect 125 'no COMMAND' -o "$scratch/t"
expect 125 'unknown option --bogus' --bogus -o "$scratch/t" -- true
expect 125 'it is not empty' -o "$scratch/full" -- true
expect 125 'make trace folder' -o "$scratch/file" -- true
expect 125 'make trace folder' -o "$scratch/no/such" -- true
expect 125 'power of two' --subbuf-size 65537 -o "$scratch/t" -- true
expect 125 'from 2 to 1024' --num-subbuf 1 -o "$scratch/t" -- true
expect 125 'must be coalesced or off' --access=all -o "$scratch/t" -- true
expect 125 '/dev/shm' --subbuf-size 1073741824 --num-subbuf 1024 -o "$scratch/t" -- true
# shellcheck disable=SC2086
{
	expect 0 'no process opened' $small -o "$scratch/t0" -- true
	expect 1 ' 0 lost' $small -o "$scratch/t1" -- false
	expect 42 ' 0 lost' $small -o "$scratch/t2" -- sh -c 'exit 42'
	expect 137 ' 0 lost' $small -o "$scratch/t3" -- sh -c 'kill -9 $$'
	expect 127 'run /no/such/program' $small -o "$scratch/t4" -- /no/such/program
	expect 126 'run /etc/passwd' $small -o "$scratch/t5" -- /etc/passwd
}
left=$(ls /dev/shm | grep -c ktail-record)
[ "$left" = 0 ] || { echo "FAILED: $left files left in /dev/shm"; failures=1; }

[ "$failures" = 0 ] && echo "all as expected"
[ "$failures" = 0 ]
