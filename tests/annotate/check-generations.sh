#!/bin/bash
# SPDX-License-Identifier: MIT
# ktail decode on submissions of each generation from Volta to Blackwell. NAME.stream describes a
# generation's submissions by names, and encode-streams encodes it from the tables alone as
# NAME.script. record.sh records all scripts into one trace, one process for each script; NAME.txt
# and NAME.json are the expected listings. The output of each step is compared with these files.
# After a change of listings, REGENERATE=1 writes NAME.txt and NAME.json anew. If a stream changes,
# REGENERATE=1 RECORD="EMIT PROVIDER" records the trace, too.
#   check-generations.sh ENCODE TABLES KTAIL DUMP-EVENTS DATA
encode=$1 tables=$2 ktail=$3 dump=$4 data=$5
here=$(dirname "$(readlink -f "$0")")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$data" || exit 2
names='volta turing ampere-a ampere-b ada hopper blackwell-a blackwell-b'

fail() {
	echo "FAILED: $*"
	[ ! -s "$out/said" ] || sed 's/^/  /' "$out/said"
	exit 1
}

# golden FILE: checks that $out/got equals the file
golden() {
	[ -z "$REGENERATE" ] || cp "$out/got" "$1"
	cmp "$1" "$out/got" || { diff "$1" "$out/got" | head -20; fail "$1"; }
}

for name in $names; do
	"$encode" "$tables" < "$name.stream" > "$out/got" 2> "$out/said" || fail "$name.stream"
	golden "$name.script"
	cat "$out/got" >> "$out/all"
done
if [ -n "$REGENERATE" ] && [ -n "$RECORD" ]; then
	rm -rf trace
	# shellcheck disable=SC2086
	taskset -c 0 "$here/record.sh" $RECORD "$data/trace" "$out/all" || fail "record"
	chmod -R u=rwX,go=rX trace
fi

# The trace has the dwords of the scripts, in the same order.
"$dump" trace > "$out/events" 2> "$out/said" || fail "dump-events"
awk '$2 == "pushbuffer" { for (i = 6; i <= NF; i++) print $3, $i }' "$out/events" > "$out/recorded"
awk '$1 == "pid" { pid = $2 } $1 == "words" { for (i = 5; i <= NF; i++) print pid, $i }' \
	"$out/all" > "$out/written"
[ -s "$out/written" ] || fail "no words"
cmp "$out/written" "$out/recorded" || fail "the trace has other words than the scripts"

for name in $names; do
	for form in txt json; do
		option=--qmd
		[ $form = txt ] || option='--qmd -f json'
		# shellcheck disable=SC2086
		"$ktail" decode $option --process "$name" trace > "$out/got" 2> "$out/said" ||
			fail "decode --process $name"
		golden "$name.$form"
	done
	# Texts that the listing of each generation must contain.
	for word in copy-direct copy-inline launch semaphore-release semaphore-acquire \
		wait-for-idle invalidate bind 'contents not in these commands' 'with timestamp' \
		'0xffff 0x0100' '0x0d14' SET_OBJECT SEM_EXECUTE; do
		grep -q -- "$word" "$name.txt" || fail "$name.txt: no $word"
	done
done
"$ktail" decode --stats --strict trace > "$out/got" 2> "$out/said" || fail "decode --stats"
golden stats.txt
exit 0
