#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that a layout that takes too long is ended, that a cheaper one is drawn instead, and that
# standard error reports this.
# Usage: timeout.sh KTAIL-RENDER SVG-CHECK MAKE-FSM
set -eu
render=$1 check=$2 make=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$make" dense 300 > dense.json
# Doubles the limit until the cheapest setting meets it, because the machine may be slow.
for seconds in 1 2 4 8 16 32; do
	if "$render" dense.json --layout-timeout $seconds -o dense.svg 2> err.txt; then
		break
	fi
	grep -q "no layout finished within $seconds s" err.txt
	test ! -e dense.svg
done
cat err.txt
grep -q "lay out drawing: not finished within $seconds s, drawn by sfdp instead" err.txt
test "$(wc -l < err.txt)" = 1
"$check" dense.svg > dense.txt
test "$(grep -c 'class="node state' dense.svg)" = 300
test "$(ls | wc -l)" = 4

# If the child that runs Graphviz is killed, ktail-render fails at once and leaves no file.
status=0
(ulimit -t 1 && exec "$render" dense.json --layout-timeout 300 -o dead.svg) 2> err.txt ||
	status=$?
cat err.txt
test $status = 2
grep -q "lay out drawing: Graphviz was terminated by signal" err.txt
test "$(ls | wc -l)" = 4
