#!/bin/bash
# SPDX-License-Identifier: MIT
# Truncates each stream file of a trace at every 4 KiB: ktail uses exactly the whole packets,
# reports a truncated packet, and leaves no temporary file.
#   check-cuts.sh KTAIL TRACE PACKET-SIZE
ktail=$1 trace=$2 packet=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export TMPDIR=$out/tmp
mkdir "$TMPDIR"
cuts=0

fail() {
	echo "$file cut at $length: $*"
	exit 1
}

# words NAME LENGTH: writes the words of the trace, with $file truncated to LENGTH, to $out/NAME
words() {
	rm -rf "$out/scripted" "$out/$1"
	cp -r "$trace" "$out/scripted"
	chmod -R u+w "$out/scripted"
	truncate -s "$2" "$out/scripted/$file"
	"$ktail" words "$out/scripted" -o "$out/$1" 2> "$out/$1.said"
	status=$?
	[ -z "$(ls -A "$TMPDIR")" ] || fail "left something in TMPDIR"
	[ "$(stat -c %s "$out/scripted/$file")" = "$2" ] || fail "the trace was changed"
}

for file in $(cd "$trace" && find . -type f -name 'channel*' ! -name '*.idx' -size +0); do
	size=$(stat -c %s "$trace/$file")
	for ((length = 0; length < size; length += 4096)); do
		cuts=$((cuts + 1))
		words cut $length
		cut_status=$status
		whole=$((length / packet * packet))
		if [ $whole != $length ]; then
			words whole $whole
			[ $cut_status = $status ] || fail "exit status $cut_status, not $status"
			[ $status != 0 ] || diff -r "$out/whole" "$out/cut" || fail "other words"
			grep -q 'warning: .*: 1 stream file ends inside a packet' "$out/cut.said" ||
				fail "says nothing of the cut"
			rm -rf "$out/scripted"
			cp -r "$trace" "$out/scripted"
			truncate -s $length "$out/scripted/$file"
			"$ktail" words --strict "$out/scripted" -o "$out/strict" 2> /dev/null
			status=$?
			[ $status = 4 ] || [ $status = 3 ] || fail "--strict gives $status"
			[ $status = 4 ] || [ $cut_status = 3 ] || fail "no words with --strict"
			[ ! -e "$out/strict" ] || fail "--strict writes words"
		fi
		[ $cut_status = 0 ] || [ $cut_status = 3 ] || fail "exit status $cut_status"
	done
done
[ $cuts -gt 3 ] || { echo "only $cuts cuts"; exit 1; }

# A crash may leave reserved space, that is, zeros after the packets of each file.
rm -rf "$out/scripted" "$out/all" "$out/zeros"
cp -r "$trace" "$out/scripted"
"$ktail" words "$out/scripted" -o "$out/all" 2> /dev/null || exit 1
find "$out/scripted" -type f -name 'channel*' ! -name '*.idx' -size +0 -exec truncate -s +12288 {} +
"$ktail" words "$out/scripted" -o "$out/zeros" 2> "$out/said" ||
	{ echo "zeros after the packets:"; cat "$out/said"; exit 1; }
diff -r "$out/all" "$out/zeros" || exit 1
grep -q 'stream files* ends* inside a packet; [0-9]* bytes after the last whole' "$out/said" || exit 1

# If all files are truncated in their first packet, no letters remain.
rm -rf "$out/scripted"
cp -r "$trace" "$out/scripted"
find "$out/scripted" -type f -name 'channel*' ! -name '*.idx' -size +0 -exec truncate -s 4096 {} +
"$ktail" --k 2 "$out/scripted" -o "$out/none.json" 2> "$out/said"
[ $? = 3 ] && [ ! -e "$out/none.json" ] || { echo "no exit 3 without letters"; exit 1; }

# Damage is reported with the name of the original file, even if a private copy is read.
rm -rf "$out/scripted"
cp -r "$trace" "$out/scripted"
chmod -R u+w "$out/scripted"
damaged=$(find "$out/scripted" -name channel_1)
for size in 20480 20479; do
	truncate -s $size "$damaged"
	printf 'nonsense' | dd of="$damaged" bs=1 seek=4 conv=notrunc 2> /dev/null
	printf 'x' | dd of="$damaged" bs=1 seek=20 conv=notrunc 2> /dev/null
	printf '\377\377\377\377\377\377\377\377' | dd of="$damaged" bs=1 seek=32 conv=notrunc 2> /dev/null
	"$ktail" words "$out/scripted" -o "$out/damaged" 2> "$out/said"
	grep -q "$damaged" "$out/said" || { echo "does not name the file:"; cat "$out/said"; exit 1; }
	grep -q "$TMPDIR" "$out/said" && { echo "names the copy:"; cat "$out/said"; exit 1; }
done

for size in 20480 20479; do
	cp "$trace/${damaged#"$out/scripted/"}" "$damaged"
	truncate -s $size "$damaged"
	yes x | tr -d '\n' | head -c 200 | dd of="$damaged" bs=1 seek=200 conv=notrunc 2> /dev/null
	"$ktail" words "$out/scripted" -o "$out/damaged" 2> "$out/said"
	grep -q "unreadable after .*: $damaged: " "$out/said" ||
		{ echo "does not name the file:"; cat "$out/said"; exit 1; }
	grep -q "$TMPDIR" "$out/said" && { echo "names the copy:"; cat "$out/said"; exit 1; }
done
cp "$trace/${damaged#"$out/scripted/"}" "$damaged"
for _ in {1..16}; do printf '\377'; done | dd of="$damaged" bs=1 seek=32 conv=notrunc 2> /dev/null
"$ktail" words "$out/scripted" -o "$out/damaged" 2> "$out/said"
[ $? = 3 ] && grep -q "$damaged: its first packet has no timestamp$" "$out/said" ||
	{ echo "no timestamp:"; cat "$out/said"; exit 1; }

# Truncated or missing metadata give exit status 3. Babeltrace's parser leaks memory when it fails.
export ASAN_OPTIONS=detect_leaks=0
file=$(cd "$trace" && find . -name metadata)
size=$(stat -c %s "$trace/$file")
for length in 0 1 100 4096 $((size / 2)) $((size - 1)); do
	words metadata $length
	[ $status = 3 ] || fail "exit status $status"
done
rm "$out/scripted/$file"
"$ktail" words "$out/scripted" -o "$out/metadata" 2> "$out/said"
[ $? = 3 ] || { echo "missing metadata: no exit 3"; exit 1; }
echo "$cuts cuts"
