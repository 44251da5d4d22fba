#!/bin/bash
# SPDX-License-Identifier: MIT
# For damaged traces, each program returns the right exit status, names the trace, the stream file
# and the packet, and leaves no file.
#   check-damage.sh BIN TRACE CALLS
# TRACE has the stream files gpu_stack_0 and gpu_stack_1; in packet 1 of the latter, which
# is at byte 8192, the length of the sequence of dwords of a doorbell is at byte 13649.
# CALLS is corpus/calls/vadd-4k.
bin=$1 good=$2 recorded=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export TMPDIR=$out/tmp
mkdir "$TMPDIR" "$out/results"
trace=$out/trace
folder=$trace/ust/uid/0/64-bit
stream=$folder/gpu_stack_1
runs=0

fail() {
	echo "$case, $program: $*"
	cat "$out/said"
	exit 1
}

# put FILE BYTE HEX...: writes bytes at an offset
put() {
	local file=$1 at=$2
	shift 2
	printf "$(printf '\\x%s' "$@")" | dd of="$file" bs=1 seek="$at" conv=notrunc 2> /dev/null
}

fresh() {
	rm -rf "$trace"
	cp -r "$good" "$trace"
	chmod -R u+w "$trace"
}

"$bin/ktail" --k 2 "$good" -o "$out/fsm.json" || exit 1
programs=(
	"ktail --k 2 TRACE -o OUT.json"
	"ktail words TRACE -o OUT.words"
	"ktail words --alphabet methods --word channel TRACE -o OUT.words"
	"ktail sweep --k 0-5 TRACE -o OUT.json"
	"ktail check --all $out/fsm.json TRACE"
	"ktail diff $out/fsm.json TRACE"
	"ktail merge $out/none.kgrams TRACE -o OUT.json"
	"ktail-decode TRACE -o OUT.txt"
	"ktail-decode --ioctls TRACE -o OUT.txt"
	"ktail-stats TRACE -o OUT.tsv"
	"ktail-annotate $out/fsm.json TRACE -o OUT.json"
)
"$bin/ktail" --k 2 "$good" -o "$out/none.kgrams" || exit 1

# try STATUS TEXT...: runs every program; check and diff exit with 1 where the others exit with 0
try() {
	local want=$1
	shift
	for program in "${programs[@]}"; do
		local command=${program//TRACE/$trace}
		runs=$((runs + 1))
		rm -rf "$out/results"
		mkdir "$out/results"
		# The limits are far above what a trace of this size needs.
		(ulimit -v 2000000 -t 60 -c 0
		 "$bin"/${command//OUT/$out/results/o}) > "$out/printed" 2> "$out/said"
		status=$?
		case $program:$status in
		*check*:1 | *diff*:1) [ "$want" = 0 ] && status=0 ;;
		esac
		[ $status = "$want" ] || fail "exit status $status, not $want"
		for text; do
			grep -qF -- "$text" "$out/said" || fail "does not say: $text"
		done
		[ -z "$(ls -A "$TMPDIR")" ] || fail "left something in TMPDIR"
		[ -z "$(ls -A "$out/results" | grep '^\.ktail')" ] || fail "left a temporary file"
		[ "$want" = 0 ] || [ -z "$(ls -A "$out/results")" ] || fail "left an output"
	done
}

case="a first packet of 2^63 bits"
fresh
put "$stream" 56 00 00 00 00 00 00 00 80
try 3 "read $stream: packet 0 is damaged: its sizes are impossible: content 65304 bits"

case="a first packet without a size"
fresh
put "$stream" 48 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
try 3 "read $stream: packet 0 is damaged: its sizes are impossible: content 0 bits, packet 0 bits"

# ktail does not check headers of an unknown form, and Babeltrace exhausts memory on this one.
case="a first packet without a size, of another tracer"
fresh
sed -i 's/tracer_name = "lttng-ust"/tracer_name = "other-ust"/' "$folder/metadata"
rm -r "$folder/index"
put "$stream" 48 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
all=("${programs[@]}")
programs=("${all[0]}" "${all[9]}") # the others take seconds on this case
try 3 "read $trace: " "the trace is damaged"
programs=("${all[@]}")

case="a packet with another magic number"
fresh
put "$stream" 16384 00
try 0 "read $trace: $stream: packet 2 at byte 16384 is damaged: its magic number is wrong"
"$bin/ktail" words "$trace" -o "$out/damaged" 2> /dev/null
fresh
truncate -s 16384 "$stream"
rm -r "$folder/index"
"$bin/ktail" words "$trace" -o "$out/cut" 2> /dev/null
diff -r "$out/damaged" "$out/cut" > "$out/said" || fail "not the words up to there"

case="a packet of another stream"
fresh
put "$stream" 24600 07
try 0 "$stream: packet 3 at byte 24576 is damaged: it belongs to another stream than the file's first"

case="a packet that is smaller than its content"
fresh
put "$stream" 24632 00 10 00 00 00 00 00 00
try 0 "$stream: packet 3 at byte 24576 is damaged: its sizes are impossible: content 65312 bits, packet 4096 bits"

case="a sequence of 2^32 - 1 words: SIGSEGV"
fresh
put "$stream" 13649 ff ff ff ff
try 3 "read $trace: $stream: at or after packet 1: the trace is damaged: the reading process was terminated by signal"

# A truncated file is read through a private copy, which must be removed even after a crash.
case="the same, of a trace with an empty file and one that is cut"
fresh
put "$stream" 13649 ff ff ff ff
: > "$folder/gpu_stack_9"
truncate -s -100 "$folder/gpu_stack_0"
all=("${programs[@]}")
programs=("${all[0]}")
try 3 "at or after packet 1: the trace is damaged: the reading process was terminated by signal"
programs=("${all[@]}")

case="a sequence of 2^31 - 1 words: no memory"
fresh
put "$stream" 13649 ff ff ff 7f
try 3 "read $trace: $stream: at or after packet 1: the trace is damaged: "

case="a sequence that is longer than its file"
fresh
put "$stream" 13649 ff ff 00 00
try 0 "warning: read $trace: unreadable after " "$stream: User function returned EOF"

# Babeltrace decodes a last event that ends after the end of the file, returns OK and leaves
# an error.
case="a stream that ends inside an event"
small=$good
good=$recorded
fresh
put "$stream" 19568 03
put "$stream" 70217 00
put "$stream" 160062 7f
put "$stream" 166234 b2 46
put "$stream" 206097 07
put "$stream" 314700 80
put "$stream" 373459 02
put "$stream" 409908 00 00 00 00
put "$stream" 444195 03
try 0 "warning: read $trace: unreadable after " "$stream: the last event of its packet 1 is truncated"
good=$small

# If only the index is wrong, the words do not change, because the packet headers are right.
"$bin/ktail" words "$good" -o "$out/good" || exit 1
mv "$out/good/"* "$out/good/word"
for at in 23 31 39 96 104 375; do
	case="an index with byte $at changed"
	fresh
	put "$folder/index/gpu_stack_1.idx" $at 77
	try 0
	rm -rf "$out/indexed"
	"$bin/ktail" words "$trace" -o "$out/indexed" 2> "$out/said" || fail "no words"
	diff "$out/good/word" <(sed 's,^#ktail name trace/,#ktail name softgpu-streams/,' "$out"/indexed/*) ||
		fail "other words"
done

case="an index without its last packet"
fresh
truncate -s 304 "$folder/index/gpu_stack_1.idx"
rm -rf "$out/indexed"
"$bin/ktail" words "$trace" -o "$out/indexed" 2> "$out/said" || fail "no words"
diff "$out/good/word" <(sed 's,^#ktail name trace/,#ktail name softgpu-streams/,' "$out"/indexed/*) ||
	fail "other words"

# babeltrace2 writes the name of LTTng's tracer to the metadata, but other packet headers.
case="a trace that babeltrace2 has written" program=babeltrace2
babeltrace2 "$good" -o ctf -w "$out/again" > "$out/said" 2>&1 || fail "not written"
program='ktail words'
"$bin/ktail" words "$out/again" -o "$out/rewritten" 2> "$out/said" || fail "no words"
diff <(grep -v '^#' "$out/good/word") <(grep -hv '^#' "$out"/rewritten/*) || fail "other words"

case="metadata that is a pipe"
fresh
rm "$folder/metadata"
mkfifo "$out/pipe"
ln -s "$out/pipe" "$folder/metadata"
try 3 "read $folder/metadata: not a regular file"
echo "$runs runs"
