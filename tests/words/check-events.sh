#!/bin/bash
# SPDX-License-Identifier: MIT
# The streaming reader returns the events that babeltrace2 prints, with a submission as the events
# that it stands for, and those of each process in the order of their sequence numbers. A trace that
# keeps its events returns the same.
#   check-events.sh DUMP-EVENTS TRACE...
dump=$1
shift
command -v babeltrace2 > /dev/null || { echo "babeltrace2 is not installed"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# text TRACE: prints events from babeltrace2's text as dump-events does
text() {
	babeltrace2 --clock-seconds --no-delta "$1" 2> "$out/said" |
		sed -n 's/^\[\([0-9.]*\)\] .*gpu_stack:\([a-z_]*\): /\1 \2 /p' | awk '
		{
			line = $1 " " $2
			for (i = 3; i <= NF; i++) {
				if ($(i - 1) == "=" && ($(i - 2) == "pid" || $(i - 2) == "tid" ||
						$(i - 2) == "seq")) {
					gsub(",", "", $i)
					line = line " " $i
				}
			}
			if ($2 == "map") {
				match($0, /space = "[^"]*"/)
				line = line " " substr($0, RSTART + 9, RLENGTH - 10)
				match($0, /address = 0x[0-9A-F]*/)
				line = line " " tolower(substr($0, RSTART + 12, RLENGTH - 12))
			}
			if ($2 == "submission") {
				submission(line)
				next
			}
			if ($2 == "pushbuffer") {
				while (match($0, /\] = 0x[0-9A-F]*/)) {
					line = line " " tolower(substr($0, RSTART + 6, RLENGTH - 6))
					$0 = substr($0, RSTART + RLENGTH)
				}
			}
			print line
		}
		function elements(name, list,   text) {
			text = $0
			if (!sub(".*[ {]" name " = \\[ ", "", text)) {
				return 0
			}
			sub(/ \].*/, "", text)
			gsub(/\[[0-9]+\] = (0x)?/, "", text)
			return split(tolower(text), list, /, /)
		}
		# Prints the lines of the events that a submission stands for.
		function submission(line,   part, n, i, j, lengths, words, first, seq) {
			split(line, part, " ")
			seq = part[5]
			print part[1], "doorbell", part[3], part[4], seq++
			n = elements("lengths", lengths)
			elements("words", words)
			first = 1
			for (i = 1; i <= n; i++) {
				print part[1], "gpfifo_entry", part[3], part[4], seq++
				if (lengths[i] == 0) {
					continue
				}
				line = part[1] " pushbuffer " part[3] " " part[4] " " seq++
				for (j = first; j < first + lengths[i]; j++) {
					line = line " " words[j]
				}
				first = j
				print line
			}
		}'
}

for trace in "$@"; do
	"$dump" "$trace" > "$out/ours" || { echo "$trace: status $?"; exit 1; }
	[ -s "$out/ours" ] || { echo "$trace: no events"; exit 1; }
	"$dump" --kept "$trace" | cmp - "$out/ours" || { echo "$trace: others are kept"; exit 1; }
	text "$trace" > "$out/theirs"
	sort "$out/ours" > "$out/ours.sorted"
	sort "$out/theirs" | cmp - "$out/ours.sorted" || { echo "$trace: other events"; exit 1; }
	awk '$2 == "process_begin" { delete last[$3] }
		$3 in last && $5 <= last[$3] { print "out of order: " $0; bad = 1 }
		{ last[$3] = $5 }
		END { exit bad }' "$out/ours" || { echo "$trace: order"; exit 1; }
done
