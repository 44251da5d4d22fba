#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/check-layers on a tree of its own: what it lets pass, and what it complains of.
# Usage: test-check-layers.sh SCRIPTS
set -eu

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
for folder in base decode collect/low collect/high lttng-providers infer annotate viz corpus scripts; do
	mkdir -p "$tree/$folder"
done
cp "$1/check-layers" "$tree/scripts"
failures=0

says() { # STATUS PATTERN
	got=0
	"$tree/scripts/check-layers" >"$tree/out" 2>&1 || got=$?
	[ "$got" = "$1" ] && { [ -z "$2" ] || grep -q -e "$2" "$tree/out"; } && return
	echo "FAILED: status $got, not $1, or not '$2' in: $(cat "$tree/out")"
	failures=$((failures + 1))
}
include() { # FILE HEADER...
	file=$tree/$1
	shift
	printf '#include "%s"\n' "$@" >"$file"
}

include collect/low/a.h stdint.h
include collect/low/a.c collect/low/a.h
include collect/high/b.h collect/low/a.h
include collect/high/b.c collect/high/b.h
echo 'collect/high: collect/low' >"$tree/scripts/layers"
says 0 ''

# The other way round.
include collect/low/a.c collect/low/a.h collect/high/b.h
says 1 'collect/low/a.c: collect/low/ may not include headers of collect/high/'
echo 'collect/low: collect/high' >>"$tree/scripts/layers"
says 1 'collect/high/ is part of a circle of folders'
says 1 'collect/low/a: is part of a circle of modules'

# A line that nobody needs, a circle within a folder, and one that is named.
include collect/low/a.c collect/low/a.h
says 1 'collect/low/ includes nothing of collect/high/'
echo 'collect/high: collect/low' >"$tree/scripts/layers"
include collect/high/c.h collect/high/b.h
include collect/high/b.c collect/high/b.h collect/high/c.h
says 1 'collect/high/b: is part of a circle of modules'
echo 'circle collect/high/b collect/high/c' >>"$tree/scripts/layers"
says 0 ''
include collect/high/b.c collect/high/b.h
says 1 'collect/high/c is in no circle'

[ "$failures" = 0 ] && echo 'all as expected'
