#!/bin/sh
# SPDX-License-Identifier: MIT
# plot.sh KTAIL-RENDER SVG-CHECK NAME TEXT: the plot of NAME.json is NAME.svg, which is
# well-formed and has the text, and the same picture comes as PNG and PDF.
set -eu
render=$1 check=$2 name=$3 text=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$render" "$name.json" -o "$folder/a.svg" -o "$folder/a.png" -o "$folder/a.pdf" \
	-o "$folder/again.png"
diff -u "$name.svg" "$folder/a.svg"
"$check" "$folder/a.svg" > "$folder/a.txt"
grep -q "^text - $text\$" "$folder/a.txt"
test "$(head -c 8 "$folder/a.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a
test "$(head -c 5 "$folder/a.pdf")" = %PDF-
cmp "$folder/a.png" "$folder/again.png"
