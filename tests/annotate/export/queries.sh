#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the queries of docs/guide/sqlite.md: each must be valid, and give rows.
# Usage: queries.sh KTAIL CORPUS PAGE
ktail=$1 corpus=$2 page=$3
file=$(mktemp)
trap 'rm -f "$file"' EXIT
"$ktail" export -f sqlite "$corpus/calls/graphs-50" "$corpus/calls/graphs-1" > "$file" || exit 1
failures=0
n=0
# A query is an indented block that ends with a semicolon.
while IFS= read -r -d ';' query; do
	n=$((n + 1))
	rows=$(sqlite3 -list "$file" "$query") || { echo "FAILED: $query"; failures=$((failures + 1)); }
	[ -n "$rows" ] || { echo "FAILED: no rows: $query"; failures=$((failures + 1)); }
done < <(sed -n '/^## Examples/,$s/^    //p' "$page")
[ $n -ge 7 ] || { echo "FAILED: only $n queries"; failures=$((failures + 1)); }
[ $failures = 0 ]
