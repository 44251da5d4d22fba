#!/bin/bash
# SPDX-License-Identifier: MIT
# If the clock of a stream steps back, here because its first two packets are exchanged, the reader
# uses the events before that point and reports the truncation.
#   check-clock.sh KTAIL TRACE
ktail=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
set -e
cp -r "$2" "$out/back"
chmod -R u+w "$out/back"
rm -r "$out"/back/ust/uid/*/64-bit/index
file=$(echo "$out"/back/ust/uid/*/64-bit/channel_1)
{
	tail -c +8193 "$file" | head -c 8192
	head -c 8192 "$file"
	tail -c +16385 "$file"
} > "$out/swapped"
cat "$out/swapped" > "$file"
"$ktail" words "$out/back" -o "$out/words" 2> "$out/said"
cat "$out/said"
grep -q 'warning: .* unreadable after 20.* UTC, used up to there: ' "$out/said"
[ "$(ls "$out/words" | wc -l)" -ge 7 ]
grep -qx '#ktail cut-end' "$out/words/back_unknown.1.events"
status=0
"$ktail" words --strict "$out/back" -o "$out/strict" 2> /dev/null || status=$?
[ $status = 4 ]
