#!/bin/bash
# SPDX-License-Identifier: MIT
# The words of a trace of data/script.txt and data/script-bulk.txt equal data/process and
# data/thread. The plugin writes the same files in babeltrace2, and the files give the same machine
# as the trace.
#   check-words.sh KTAIL PLUGIN-FOLDER|none TRACE     (the trace's folder is called scripted)
here=$(dirname "$(readlink -f "$0")")
ktail=$1 plugins=$2 trace=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
set -e

for unit in process thread; do
	"$ktail" words --word $unit "$trace" -o "$out/$unit" 2> "$out/said"
	# The lines #ktail version depend on the version of the recorder; the words do not.
	grep -q '^#ktail version recorder	emit-events		access=coalesced doorbell=perf' \
		"$out/$unit"/scripted_app.*.events
	cp -r "$out/$unit" "$out/plain-$unit"
	sed -i '/^#ktail version/d' "$out/plain-$unit"/*
	diff -r "$here/data/$unit" "$out/plain-$unit"
	grep -q '^ktail: warning: .*: 34 events are missing, by their sequence numbers$' "$out/said"
	# A plugin built with a sanitizer cannot be loaded into babeltrace2, which has none.
	if [ "$plugins" != none ]; then
		babeltrace2 --plugin-path="$plugins" convert "$trace" \
			--component=filter.ktail.normalize \
			--component=sink.ktail.words \
			--params="output=\"$out/plugin-$unit\",word=\"$unit\",name=\"scripted\""
		diff -r "$out/$unit" "$out/plugin-$unit"
	fi
	"$ktail" --k 3 --word $unit "$trace" -o "$out/a.json" 2> /dev/null
	"$ktail" --k 3 --word $unit "$out/$unit"/*.events -o "$out/b.json" 2> /dev/null
	grep -v '"alphabet":' "$out/a.json" > "$out/a"
	grep -v '"alphabet":' "$out/b.json" > "$out/b"
	cmp "$out/a" "$out/b"
done

# Words of a trace whose name is not valid UTF-8 can be read again.
odd=$out/$(printf 'od\nd\xff')
cp -r "$trace" "$odd"
"$ktail" words "$odd" -o "$out/odd" 2> /dev/null
grep -qx '#ktail name od?d?/app.0' "$out/odd/od?d?_app.0.events"
printf 'a\n' > "$odd.events"
"$ktail" words "$odd.events" -o "$out/odd-file"
grep -qx '#ktail name od?d?' "$out/odd-file/od?d?.events"
"$ktail" words "$out"/odd/*.events "$out"/odd-file/*.events -o "$out/odd-again" 2> /dev/null
[ "$(ls "$out/odd-again" | wc -l)" = 10 ]
for file in "$out/odd"/*; do
	cmp "$file" "$out/odd-again/${file##*/}"
done

# Tests parameters of the plugin.
if [ "$plugins" != none ]; then
	babeltrace2 --plugin-path="$plugins" convert "$trace" --component=sink.ktail.words \
		--params="output=\"$out/odd-plugin\",name=\"a\\nb\""
	grep -qx '#ktail name a?b/app.0' "$out/odd-plugin/a?b_app.0.events"
	if babeltrace2 --plugin-path="$plugins" convert "$trace" --component=sink.ktail.words \
		--params="output=\"$out/none\",sourc=\"kernel\"" 2> "$out/said"; then
		echo "an unknown parameter is accepted" >&2
		exit 1
	fi
	grep -q 'unknown parameter .sourc.' "$out/said"
	if babeltrace2 --plugin-path="$plugins" convert "$trace" \
		--component=filter.ktail.normalize --params='sources="user"' \
		--component=sink.ktail.words --params="output=\"$out/none\"" 2> "$out/said"; then
		echo "an unknown parameter of the filter is accepted" >&2
		exit 1
	fi
	grep -q 'unknown parameter .sources.' "$out/said"
	[ ! -e "$out/none" ]
fi

# The alphabet rm distinguishes ioctls by class and command.
"$ktail" words --alphabet rm "$trace" -o "$out/rm" 2> /dev/null
grep -qx 'ioctl:0x2a/0xc36f0108' "$out/rm/scripted_app.0.events"
grep -qx 'ioctl:0x2b/0xc5c0' "$out/rm/scripted_app.0.events"
grep -qx 'ioctl:uvm:0x1b' "$out/rm/scripted_app.0.events"

# --strict rejects losses and truncated words.
set +e
"$ktail" words --strict "$trace" -o "$out/strict" 2> "$out/said"
[ $? = 4 ] && [ ! -e "$out/strict" ] || { echo "no exit 4 with --strict"; exit 1; }
grep -q '^ktail: read .*: 5 of 9 words are truncated, 34 events' "$out/said" || exit 1
