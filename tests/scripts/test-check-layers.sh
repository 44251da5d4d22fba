#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests scripts/check-layers on a small tree: includes that it accepts, and its complaints.
# Usage: test-check-layers.sh SCRIPTS
set -eu

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
for folder in base decode collect/low collect/high lttng-providers infer annotate raw viz corpus scripts; do
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
says 1 'collect/high/ is part of a circular dependency of folders'
says 1 'collect/low/a: is part of a circular dependency of modules'

# An unused permission, a circular dependency within a folder, and one that is listed.
include collect/low/a.c collect/low/a.h
says 1 'collect/low/ includes no header of collect/high/'
echo 'collect/high: collect/low' >"$tree/scripts/layers"
include collect/high/c.h collect/high/b.h
include collect/high/b.c collect/high/b.h collect/high/c.h
says 1 'collect/high/b: is part of a circular dependency of modules'
echo 'circle collect/high/b collect/high/c' >>"$tree/scripts/layers"
says 0 ''
include collect/high/b.c collect/high/b.h
says 1 'collect/high/c is not part of a circular dependency'

[ "$failures" = 0 ] && echo 'all as expected'
