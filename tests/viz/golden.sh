#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that MACHINE.json is drawn as NAME.dot and as a well-formed SVG, and that the SVG shows the
# lines of NAME.shows, if that file exists.
# Usage: golden.sh KTAIL-RENDER SVG-CHECK MACHINE.json NAME.dot [OPTION...]
set -eu
render=$1 check=$2 machine=$3 expected=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$render" "$@" "$machine" -o "$folder/a.dot" -o "$folder/a.svg"
diff -u "$expected" "$folder/a.dot"
"$check" "$folder/a.svg" > "$folder/a.txt"

if [ -e "${expected%.dot}.shows" ]; then
	while IFS= read -r line; do
		grep -qxF -e "$line" "$folder/a.txt" || {
			echo "not in the SVG: $line" >&2
			cat "$folder/a.txt" >&2
			exit 1
		}
	done < "${expected%.dot}.shows"
fi
