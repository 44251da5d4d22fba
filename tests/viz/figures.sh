#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the machines of all traces of the corpus, at k = auto and 20, as they are and for a page of
# 178 mm, and checks the drawings.
# Usage: figures.sh KTAIL KTAIL-RENDER CHECK-FIGURE TRACES
set -eu
ktail=$1 render=$2 check=$3 traces=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for trace in "$traces"/*/; do
	for k in auto 20; do
		name=$folder/$(basename "$trace")-$k
		"$ktail" --k $k "$trace" -o "$name.json" 2> /dev/null
		"$render" --layout-timeout 300 "$name.json" -o "$name.svg"
		"$render" --layout-timeout 300 --width 178mm "$name.json" -o "$name-page.svg"
		"$render" --layout-timeout 300 --hide 5 --list --grey "$name.json" \
			-o "$name-list.svg"
	done
done
"$check" "$folder"/*.svg
"$check" --width 178 "$folder"/*-page.svg

# What does not fit is refused.
! "$render" --width 20mm "$name.json" -o "$folder/no.svg" 2> "$folder/err"
grep -q 'its letters have .* pt, less than 6' "$folder/err"
test ! -e "$folder/no.svg"
! "$render" --width 178 "$name.json" -o "$folder/no.svg" 2> "$folder/err"
grep -q -e '--width must be a length' "$folder/err"
! "$render" --hide x "$name.json" -o "$folder/no.svg" 2> "$folder/err"
grep -q -e '--hide must be' "$folder/err"
