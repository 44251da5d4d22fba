#!/bin/bash
# SPDX-License-Identifier: MIT
# Losses that only the tracer's counts show: in the first packet of a stream, and as a
# missing packet.
#   check-loss.sh KTAIL TRACE
ktail=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# put FILE OFFSET BYTE
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

# said EVENTS PACKETS REASON: the warning, and the reason given by --strict
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

# The second packet is numbered as the fourth.
fresh "$2"
size=$(od -An -tu8 -j56 -N8 "$file")
put "$file" $((size / 8 + 64)) 03
said 0 2 "2 packets"
