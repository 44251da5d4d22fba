#!/bin/bash
# SPDX-License-Identifier: MIT
# Records on the software GPU and decodes the trace. The recorder, the decoder and the events must
# agree.
#   check-softgpu.sh BIN DUMP-EVENTS
bin=$1 dump=$2
here=$(dirname "$(readlink -f "$0")")
. "$here/../collect/counters.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LTTNG_HOME=$scratch/home
mkdir "$LTTNG_HOME"

for workload in vadd graphs; do
	[ -x "$bin/corpus/$workload" ] || continue
	trace=$scratch/$workload
	timeout 120 "$bin/ktail" record -v --rings=bus --softgpu --subbuf-size 262144 --num-subbuf 4 -o "$trace" -- \
		"$bin/corpus/$workload" > /dev/null 2> "$scratch/said" ||
		{ echo "$workload: record"; cat "$scratch/said"; exit 1; }
	"$bin/ktail" decode --strict --stats "$trace" > "$scratch/stats" ||
		{ echo "$workload: decode"; exit 1; }
	grep -q '^nothing was dropped' "$scratch/stats" || { cat "$scratch/stats"; exit 1; }
	# The recorder, the decoder, its table and the events count the same number of dwords.
	said=$(counter "$scratch/said" dwords)
	decoded=$(sed -n 's/^dwords: .* \([0-9]*\) decoded.*/\1/p' "$scratch/stats")
	table=$(awk '$1 == "all" && $2 == "channels" { print $5 / 4 }' "$scratch/stats")
	events=$("$dump" "$trace" | awk '$2 == "pushbuffer" { n += NF - 5 } END { print n }')
	[ -n "$said" ] && [ "$said" = "$decoded" ] && [ "$said" = "$table" ] && [ "$said" = "$events" ] ||
		{ echo "$workload: $said said, $decoded decoded, $table in the table, $events in events"; exit 1; }
	# Each entry's address follows from the ring's. GP_GET is not ahead of the new GP_PUT; it
	# may be ahead of the old one, since the recorder reads it after the store.
	"$bin/ktail" decode --raw -f json "$trace" > "$scratch/raw" || { echo "$workload: --raw"; exit 1; }
	sed -n 's/.*"after":\([0-9]*\).*"get":\([0-9]*\),"ring":"\(0x[0-9a-f]*\)".*/G \1 \2 \3/p
		s/.*"index":\([0-9]*\),.*"entry_address":"\(0x[0-9a-f]*\)".*/E \1 \2/p' "$scratch/raw" > "$scratch/at"
	n=0
	while read -r kind first second third; do
		if [ "$kind" = G ]; then
			base=$third n=$((n + 1))
			[ $((second)) -le $((first)) ] || { echo "$workload: GP_GET $second of $first"; exit 1; }
		elif [ $((second)) != $((base + 8 * first)) ]; then
			echo "$workload: entry $first at $second, ring at $base"
			exit 1
		fi
	done < "$scratch/at"
	[ "$n" -gt 0 ] && [ "$n" = "$(grep -c '"type":"submission"' "$scratch/raw")" ] ||
		{ echo "$workload: $n submissions with GP_GET"; exit 1; }
	grep -q '^command launch: [1-9]' "$scratch/stats" || { cat "$scratch/stats"; exit 1; }
	"$here/../words/check-events.sh" "$dump" "$trace" || exit $?
	# In the brief form no launch is lost.
	for form in '' --brief; do
		"$bin/ktail" decode $form "$trace" |
			awk '$1 == "=>" && $2 == "launch" { n++ } $1 == "=>" && $3 == "launches," { n += $2 }
				END { print n + 0 }'
	done | uniq | tr '\n' ' ' | grep -qx '[1-9][0-9]* ' || { echo "$workload: launches in brief"; exit 1; }
done
# Version 1 of the driver starts each kernel of a graph by a command.
timeout 120 "$bin/ktail" record --softgpu --softgpu-driver 1 --subbuf-size 262144 --num-subbuf 4 -o "$scratch/graphs-1" -- \
	"$bin/corpus/graphs" > /dev/null 2> "$scratch/said" || { cat "$scratch/said"; exit 1; }
for form in '' --brief; do
	"$bin/ktail" decode $form "$scratch/graphs-1" |
		awk '$1 == "=>" && $2 == "launch" { n++ } $1 == "=>" && $3 == "launches," { n += $2 } END { print n + 0 }'
done | uniq | tr '\n' ' ' | grep -qx '50 ' || { echo "graphs-1: launches in brief"; exit 1; }

# With --submissions=off there is no listing, and `ktail words` reports letters whose
# commands are missing.
trace=$scratch/off
"$bin/ktail" record --softgpu --submissions=off --subbuf-size 262144 --num-subbuf 4 -o "$trace" -- \
	"$bin/corpus/vadd" > /dev/null 2> "$scratch/said" || { cat "$scratch/said"; exit 1; }
"$bin/ktail" decode "$trace" > "$scratch/got" 2> "$scratch/said"
[ $? = 3 ] && [ ! -s "$scratch/got" ] && grep -q ': its doorbells were recorded without their submissions' "$scratch/said" ||
	{ echo "decode without submissions"; cat "$scratch/got" "$scratch/said"; exit 1; }
"$bin/ktail" words -a submission "$trace" -o "$scratch/words" 2> "$scratch/said" &&
	grep -q ' 9 of 9 letters stand for commands that are not in the trace' "$scratch/said" ||
	{ echo "words without submissions"; cat "$scratch/said"; exit 1; }
