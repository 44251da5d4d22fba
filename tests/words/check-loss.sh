#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests losses that only the tracer's counts show: events discarded up to the end of a stream's
# first packet, and missing packets.
#   check-loss.sh KTAIL TRACE
ktail=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# put FILE OFFSET BYTE: overwrites a byte
put() {
	printf "\\x$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}

fresh() {
	rm -rf "$out/trace"
	cp -r "$1" "$out/trace"
	chmod -R u+w "$out/trace"
	rm -r "$out"/trace/ust/uid/*/64-bit/index
	file=$(echo "$out"/trace/ust/uid/*/64-bit/channel_1)
}

# said EVENTS PACKETS REASON: checks the warning, and the reason that --strict gives
said() {
	"$ktail" words "$out/trace" -o "$out/words" 2> "$out/said"
	grep -q "the tracer discarded $1 events and $2 packets$" "$out/said" ||
		{ cat "$out/said"; exit 1; }
	"$ktail" words --strict "$out/trace" -o "$out/strict" 2> "$out/said"
	[ $? = 4 ] && grep -q "read .*: .*, $3 were discarded by the tracer$" "$out/said" ||
		{ cat "$out/said"; exit 1; }
	rm -rf "$out/words"
}

fresh "$2"
"$ktail" words "$out/trace" -o "$out/words" 2> "$out/said"
grep discarded "$out/said" && exit 1
rm -rf "$out/words"
put "$file" 72 05
said 5 0 "5 events"

# The second packet has the number of the fourth, so two packets are missing.
fresh "$2"
size=$(od -An -tu8 -j56 -N8 "$file")
put "$file" $((size / 8 + 64)) 03
said 0 2 "2 packets"
