#!/bin/sh
# SPDX-License-Identifier: MIT
# golden.sh KTAIL-RENDER SVG-CHECK MACHINE.json EXPECTED.dot [OPTION...]
# The machine's DOT is the expected one; Graphviz understands it, and every letter that the
# DOT's tooltips hold reaches the SVG, character for character.
set -eu
render=$1 check=$2 machine=$3 expected=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$render" "$@" "$machine" -o "$folder/a.dot" -o "$folder/a.svg"
diff -u "$expected" "$folder/a.dot"
"$check" "$folder/a.svg" > "$folder/a.txt"

# The expected file may be accompanied by lines that the SVG must show.
if [ -e "${expected%.dot}.shows" ]; then
	while IFS= read -r line; do
		grep -qxF -e "$line" "$folder/a.txt" || {
			echo "not in the SVG: $line" >&2
			cat "$folder/a.txt" >&2
			exit 1
		}
	done < "${expected%.dot}.shows"
fi
