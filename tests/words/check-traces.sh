#!/bin/bash
# SPDX-License-Identifier: MIT
# Two traces in one folder, with the same pids at the same time, give the same words as each trace
# alone.
#   check-traces.sh KTAIL TRACE
ktail=$1 trace=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
set -e

# another FOLDER: gives the trace in the folder another UUID, as if another session had recorded it
another() {
	local metadata file hex text from to
	metadata=$(find "$1" -name metadata)
	hex=$(od -An -tx1 -j4 -N16 "$metadata" | tr -d '\n')
	from=${hex// /\\x} to=\\x5a${from:4}
	text=$(printf %s "$hex" | tr -d ' ')
	find "$1" -type f -size +0 ! -path '*/index/*' | while read -r file; do
		LC_ALL=C sed -i "s/$from/$to/g; s/${text:0:8}-/5a${text:2:6}-/g" "$file"
	done
}

# contents FOLDER: prints checksums of the .events files in the folder, without the names of words
contents() {
	for file in "$1"/*.events; do
		grep -v '^#ktail name ' "$file" | cksum
	done | sort
}

mkdir "$out/both"
cp -r "$trace" "$out/both/a"
cp -r "$trace" "$out/both/b"
chmod -R u+w "$out/both"
another "$out/both/b"
"$ktail" words "$out/both/a" -o "$out/a" 2> /dev/null
"$ktail" words "$out/both/b" -o "$out/b" 2> /dev/null
"$ktail" words "$out/both" -o "$out/words" 2> "$out/said"
{ contents "$out/a"; contents "$out/b"; } | sort > "$out/expected"
contents "$out/words" | diff "$out/expected" -
grep -q ': 68 events are missing, by their sequence numbers$' "$out/said"
