#!/bin/sh
# SPDX-License-Identifier: MIT
# Records one command several times and keeps only the words, which show how runs of the
# same program differ.
set -eu

out=repeats
times=10
ktail=${KTAIL:-ktail}

usage() {
	cat <<'TEXT'
usage: corpus/repeat.sh [--out DIR] [--times N] NAME [RECORD-OPTION...] -- COMMAND...

Records COMMAND N times (default 10) with `ktail record RECORD-OPTION...` and writes the words
of the i-th trace to the folder DIR/NAME-i (default DIR: repeats). ktail is $KTAIL or on PATH.
TEXT
}

fail() {
	echo "repeat.sh: $*" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--help) usage; exit 0 ;;
	--out | --times) [ $# -ge 2 ] || fail "$1 needs an argument" ;;
	*) break ;;
	esac
	case $1 in
	--out) out=$2 ;;
	--times) times=$2 ;;
	esac
	shift 2
done
case $times in
'' | 0* | *[!0-9]*) fail "--times must be a whole number above 0, not '$times'" ;;
esac
case ${1:-} in
'' | -* | */*) fail "a NAME for the recordings is missing; see --help" ;;
esac
name=$1
shift
case " $* " in
*' -- '?*) ;;
*) fail "-- COMMAND is missing; see --help" ;;
esac

mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
i=1
while [ "$i" -le "$times" ]; do
	"$ktail" record -o "$work/$name-$i" "$@" >"$work/out" 2>"$work/err" || {
		cat "$work/err" >&2
		fail "record $name: run $i failed"
	}
	"$ktail" words "$work/$name-$i" -o "$out/$name-$i"
	rm -rf "${work:?}/$name-$i"
	i=$((i + 1))
done
