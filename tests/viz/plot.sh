#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that NAME.json is drawn as NAME.svg, which must be well-formed and have TEXT as one of its
# texts (and as NAME.dot, if that exists), that PNG and PDF files are also written, and that two PNG files are equal.
# Usage: plot.sh KTAIL-RENDER SVG-CHECK NAME TEXT
set -eu
render=$1 check=$2 name=$3 text=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$render" "$name.json" -o "$folder/a.svg" -o "$folder/a.png" -o "$folder/a.pdf" \
	-o "$folder/again.png"
diff -u "$name.svg" "$folder/a.svg"
if [ -e "$name.dot" ]; then
	"$render" "$name.json" -o "$folder/a.dot"
	diff -u "$name.dot" "$folder/a.dot"
fi
"$check" "$folder/a.svg" > "$folder/a.txt"
grep -q "^text - $text\$" "$folder/a.txt"
test "$(head -c 8 "$folder/a.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a
test "$(head -c 5 "$folder/a.pdf")" = %PDF-
cmp "$folder/a.png" "$folder/again.png"
