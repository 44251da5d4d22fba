#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail decode on recorded dwords: golden text and JSON, options, malformed and truncated
# traces.
#   check-listing.sh KTAIL DATA TRACE-WITHOUT-SUBMISSIONS TRACE-OF-AN-H200
ktail=$1 data=$2 bare=$3 h200=$4
program=("$ktail" decode)
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/golden.sh"
cd "$data" || exit 2

golden listing.txt --qmd submissions
golden listing.json -f json --qmd submissions
golden stats.txt --stats submissions
golden stats.json --stats -f json submissions
golden lossy.txt lossy
golden brief.txt --brief submissions
golden brief.json --brief -f json submissions
golden kernels.txt --brief --qmd kernels
golden kernels.json -f json --brief --qmd kernels
golden figures-listing.txt --brief figures
golden figures-listing.json --brief -f json figures
golden figures-data.txt --qmd --data 3 figures
golden figures-data.json --qmd --data 3 -f json figures
golden odd.txt odd
golden odd.json -f json odd
golden raw.txt --raw raw
golden raw.json --raw -f json raw

# Submissions of a real driver: all of them in the brief form, the last ones in full.
cd "$(dirname "$h200")" || exit 2
golden "$data/h200-brief.txt" --brief "$(basename "$h200")"
golden "$data/h200-stats.txt" --stats "$(basename "$h200")"
golden "$data/h200-launch.txt" --qmd --from 0.2598 "$(basename "$h200")"
golden "$data/h200-launch.json" --qmd -f json --from 0.2598 "$(basename "$h200")"
cd "$data" || exit 2

# Each line is a JSON object; the listed methods add up to the total.
for file in listing.json stats.json odd.json brief.json raw.json; do
	if command -v jq > /dev/null; then
		jq -e -s 'all(.[]; has("type"))' $file > "$out/got" || fail "$file is not JSON"
	fi
done
[ "$(grep -c '"type":"method"' listing.json)" = \
	"$(sed -n 's/.*"type":"end".*"methods":\([0-9]*\).*/\1/p' listing.json)" ] || fail "methods"

# Filters reduce the output, not the totals.
expect 0 --channel 0x5c000010 submissions
[ "$(grep -c '^doorbell ' "$out/got")" = 2 ] || fail "--channel"
tail -n 6 "$out/got" | cmp -s - <(tail -n 6 listing.txt) || fail "totals of a part"
grep -q '^submissions: 6, 2 of them shown; in the whole trace:$' "$out/got" || fail "--channel: shown"
expect 0 --from 999999 -f json submissions
grep -q '"submissions":6,"shown":0,' "$out/got" || fail "nothing selected is not said"
expect 2 --channel 0x1 submissions
grep -q "^ktail: find channel 0x1: not in the traces, which have 0x5c00000c, 0x5c000010$" "$out/said" ||
	fail "a channel that is not there: $(cat "$out/said")"
expect 0 --process app submissions
[ "$(grep -c '^doorbell ' "$out/got")" = 3 ] || fail "--process app"
expect 0 --process 200 submissions
[ "$(grep -c '^doorbell ' "$out/got")" = 3 ] || fail "--process 200"
expect 0 --method LAUNCH_DMA submissions
[ "$(grep -c '^    [0-7] ' "$out/got")" = 3 ] || fail "--method LAUNCH_DMA"
expect 0 --method 0x300 submissions
[ "$(grep -c '^    [0-7] ' "$out/got")" = 1 ] || fail "--method 0x300"
expect 0 --method LAUNCH_DMA --class HOPPER_DMA_COPY_A submissions
[ "$(grep -c '^    [0-7] ' "$out/got")" = 1 ] || fail "--class by name"
expect 0 --class 0xc8b5 submissions
[ "$(grep -c '^    [0-7] HOPPER_DMA_COPY_A' "$out/got")" = 6 ] || fail "--class by number"
[ "$(grep -c '^    [0-7] ' "$out/got")" = 6 ] || fail "--class lets others through"
time=$(sed -n 's/^doorbell 2  +\([0-9.]*\) .*/\1/p' listing.txt)
expect 0 --from "$time" submissions
[ "$(grep -c '^doorbell ' "$out/got")" = 5 ] || fail "--from"
expect 0 --to "$time" submissions
[ "$(grep -c '^doorbell ' "$out/got")" = 2 ] || fail "--to"

# A doorbell is in the innermost call of its thread. The number of a call does not depend on what is
# selected.
expect 0 --brief figures
[ "$(sed -n 's/^doorbell [67] .*  in //p' "$out/got" | tr '\n' ,)" = "cuMemcpyDtoH_v2 #1,cuLaunchKernel #1," ] ||
	fail "calls of doorbells"
grep -q '^doorbell 1 .* GP_PUT 0 -> 1$' "$out/got" || fail "a call of a doorbell outside of calls"
expect 0 --brief --call 4 figures
[ "$(grep -c '  in cuMemcpyHtoD_v2 #3$' "$out/got")" = 2 ] || fail "--call changes the number of a call"
expect 0 --brief -f json --call 4 figures
[ "$(grep -c '"type":"submission".*"call":"cuMemcpyHtoD_v2","call_number":3,"call_id":4}' "$out/got")" = 2 ] ||
	fail "--call and call_id"

# An output file is written completely or not at all.
expect 0 --qmd -o "$out/file.txt" submissions
cmp -s "$out/file.txt" listing.txt || fail "-o"
expect 2 --qmd -o "$out/file" submissions
says "write $out/file: this version writes .txt and .json"
expect 0 --qmd -f txt -o "$out/file" submissions
cmp -s "$out/file" listing.txt || fail "-f txt -o"
expect 4 --strict -o "$out/none.txt" lossy
[ ! -e "$out/none.txt" ] || fail "-o with --strict writes"
expect 4 --strict submissions
grep -q '20 dwords were not read' "$out/said" || fail "--strict says nothing of unread words"
expect 0 lossy
grep -q 'warning: .*1 event is missing' "$out/said" || fail "a gap is not said"

# --raw shows each dword once, in its place, and a selected method's header.
for trace in submissions raw ../../../corpus/traces/vadd-4k; do
	expect 0 --raw $trace
	awk '/^  entry/ { at = 0 }
		/^ +[0-9]+: 0x/ { if ($1 + 0 != at++) exit 1 }
		/^ +[0-9]+:    / { if ($1 + 0 != at) exit 1; at += NF - 1 }' "$out/got" ||
		fail "--raw $trace: dwords out of place"
	expect 0 --raw -f json $trace
	sed -n 's/.*"type":"\(method\|header\|bad\)","submission":\([0-9]*\),"index":\([0-9]*\),"at":\([0-9]*\),.*"word":"\(0x[0-9a-f]*\)".*/\2 \3 \4 \5/p' \
		"$out/got" | uniq | wc -l > "$out/words"
	sed -n 's/.*"type":"end".*"captured":\([0-9]*\).*"after_gaps":\([0-9]*\).*/\1 \2/p' "$out/got" |
		awk '{ print $1 - $2 }' | cmp -s - "$out/words" || fail "--raw $trace: dwords are missing"
done
expect 0 --raw --method LAUNCH_DMA submissions
[ "$(grep -c '  PB HDR ' "$out/got")" = 3 ] || fail "--raw --method: headers"
expect 2 --raw --brief submissions
says "--raw cannot be combined with --brief"

# --data N shows at most N dwords of data in a row, and counts the others; nothing else changes.
for trace in submissions figures kernels ../../../corpus/traces/vadd-4k; do
	expect 0 $trace
	cp "$out/got" "$out/whole"
	expect 0 --data 1000000 $trace
	cmp -s "$out/got" "$out/whole" || fail "--data 1000000 $trace"
	expect 0 -f json $trace
	cp "$out/got" "$out/whole.json"
	for n in 0 1 9; do
		expect 0 --data $n $trace
		cmp -s <(grep '^[a-z]\|^  [a-z]\|=> ' "$out/got") <(grep '^[a-z]\|^  [a-z]\|=> ' "$out/whole") ||
			fail "--data $n $trace: more than data is missing"
		expect 0 --data $n -f json $trace
		cmp -s <(grep -v '"type":"data"\|"LOAD_INLINE_DATA"' "$out/got") \
			<(grep -v '"LOAD_INLINE_DATA"' "$out/whole.json") || fail "--data $n $trace: JSON"
		awk '/"LOAD_INLINE_DATA".*"value":/ { n++ }
			/"type":"data"/ { sub(/.*"not_shown":/, ""); n += $0 }
			END { print n + 0 }' "$out/got" | grep -qx "$(grep -c '"LOAD_INLINE_DATA"' "$out/whole.json")" ||
			fail "--data $n $trace: shown and not shown do not add up"
		[ $n != 0 ] || ! grep -q '"LOAD_INLINE_DATA".*"value":' "$out/got" || fail "--data 0 $trace shows data"
	done
done
expect 0 --brief --qmd --data 2 submissions
grep -A2 ' arguments 0x' "$out/got" | grep -q '^ *[1-9][0-9]* dwords of data not shown$' || fail "--data: arguments"
expect 2 --data 0 --raw submissions
says "--data cannot be combined with --raw"
expect 2 --data 0 --brief submissions
says "--data with --brief needs --qmd"
for wrong in --data= --data=-1 --data=x; do
	expect 2 "$wrong" submissions
done

# The brief form shows all commands and everything that is missing.
[ "$(grep -c '^      => ' brief.txt)" = "$(grep -c '^      => ' listing.txt)" ] || fail "--brief: commands"
expect 0 --brief lossy
[ "$(grep -c 'missing dwords' "$out/got")" = 2 ] || fail "--brief hides missing dwords"
expect 0 --brief odd
grep -q '  ring from 4096 on  unread: ' "$out/got" || fail "--brief hides a ring that was not read"

# Data of an incrementing method that extend past the last method do not wrap to the first.
expect 0 --stats odd
grep -q '^unnamed: HOPPER_DMA_COPY_A 0x4000: 1$' "$out/got" || fail "methods beyond 0x3ffc"

# No form claims a complete trace if events are missing or a ring was not read.
for trace in gaps odd; do
	for form in "" --stats "-f json"; do
		expect 0 $form $trace
		! grep -Eq 'nothing was dropped|"whole":true' "$out/got" ||
			fail "$trace $form claims to be whole"
	done
	expect 4 --strict $trace
done
grep -q '1 ring could not be read' "$out/said" || fail "--strict says nothing of the ring"
expect 0 gaps
grep -q '^the trace is incomplete: 3 events are known to be missing$' "$out/got" || fail "gaps"

# Wrong usage, and traces without our events.
for wrong in --channel=x --channel=-1 --channel=0x100000000 --class=NO_CLASS --method=NO_METHOD \
	--from=x --from=1.0000000001 --to=1. --bogus; do
	expect 2 "$wrong" submissions
done
expect 2 --from=2 --to=1.5 submissions
expect 0 --from=1.5 --to=1.5 submissions
for wrong in --channel=1 --class=0xc8b5 --method=0x300 --brief --qmd --raw --ioctls --stats --process=app \
	--from=0 --to=1 --strict; do
	expect 2 --sass "$wrong" /dev/null
	grep -q -- "${wrong%%=*} cannot be combined with --sass" "$out/said" || fail "--sass $wrong"
done
for wrong in --brief --qmd --raw --times --data=0; do
	expect 2 --stats "$wrong" submissions
	says "${wrong%%=*} cannot be combined with --stats"
done
expect 2
expect 2 /no/such/trace
expect 3 "$out"
expect 3 "$bare"
[ ! -s "$out/got" ] || fail "prints of a trace without submissions"
grep -q 'no event gpfifo_entry in it: no ring had advanced at any of its doorbells' "$out/said" ||
	fail "does not say what is missing"
expect 3 ioctls
grep -q 'no event gpfifo_entry in it: no doorbell was written' "$out/said" || fail "does not say why"
"$ktail" help decode | grep -q 'usage: ktail decode' || fail "ktail help decode"

# A stream file that ends within its only packet is refused. Zeros after the last packet are
# reported and change nothing else.
cp -r submissions "$out/cut"
chmod -R u+w "$out/cut"
find "$out/cut" -name 'channel_*' ! -name '*.idx' -exec truncate -s 4000 {} +
expect 3 "$out/cut"
cp -r submissions "$out/zeros"
chmod -R u+w "$out/zeros"
find "$out/zeros" -name 'channel_*' ! -name '*.idx' -exec truncate -s +4096 {} +
expect 0 --qmd "$out/zeros"
cmp -s <(sed 1d "$out/got" | grep -v '^the trace is incomplete: .* inside a packet$') \
	<(sed 1d listing.txt) || fail "zeros behind packets"
expect 4 --strict "$out/zeros"

# ktail decode does not crash on damaged packets.
for at in 200 400 800 1200 1600 2000; do
	rm -rf "$out/bad"
	cp -r submissions "$out/bad"
	chmod -R u+w "$out/bad"
	for file in $(find "$out/bad" -name 'channel_*' ! -name '*.idx'); do
		printf '\377\1\377\0\200\377\377\7' |
			dd of="$file" bs=1 seek=$at conv=notrunc 2> /dev/null
	done
	"$ktail" decode --qmd "$out/bad" > "$out/got" 2> "$out/said"
	status=$?
	[ $status = 0 ] || [ $status = 3 ] || fail "damage at $at: status $status"
done
exit 0
