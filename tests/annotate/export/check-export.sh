#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail export: golden files of each format, what is left out without --with-data, parts of
# traces, several traces, names that could end a script or a frame, damaged traces, wrong usage.
#   check-export.sh KTAIL DATA CORPUS GOLDEN
ktail=$1 data=$2 corpus=$3 golden=$4
program=("$ktail" export)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/annotate/golden.sh
. "$here/../golden.sh"
cd "$golden" || exit 2

formats='folded speedscope chrome perfetto xes ocel'
# ktail may have been built without SQLite.
"$ktail" export --version | grep -q sqlite3 && formats="$formats sqlite"

# readable FILE: prints a file as text, without the version of ktail
readable() {
	case $1 in
	*.perfetto)
		protoc --decode=perfetto.protos.Trace --proto_path="$here" perfetto.proto < "$1"
		;;
	*.sqlite) sqlite3 "$1" .dump ;;
	*) sed -E 's/"ktail [0-9.]+"/"ktail VERSION"/' "$1" ;;
	esac
}

# exported FORMAT ARGUMENT...: writes $out/x.FORMAT
exported() {
	local format=$1
	shift
	expect 0 "$@" -o "$out/x.$format"
	[ ! -s "$out/got" ] || fail "$*: wrote to standard output"
}

# --- golden ---
for trace in figures names; do
	for format in $formats; do
		exported "$format" "$data/$trace"
		readable "$out/x.$format" > "$out/readable" || fail "$trace.$format cannot be read"
		golden_file "$trace.$format.txt" "$out/readable"
		expect 0 -f "$format" "$data/$trace"
		cmp "$out/got" "$out/x.$format" || fail "$format to standard output"
	done
done
for weight in doorbells bytes; do
	exported folded --weight $weight "$data/figures"
	golden_file figures-$weight.folded.txt "$out/x.folded"
done
expect 0 "$data/figures"
cmp "$out/got" figures.folded.txt || fail "the default is folded"

# --- what is left out ---
for format in $formats; do
	exported "$format" "$corpus/calls/graphs-50"
	readable "$out/x.$format" > "$out/readable"
	! grep -qE '"commands":|(^|[" '"'"'])/[a-z]|hostname|login' "$out/readable" ||
		fail "$format: holds data or paths"
	# The dwords of script-names.txt hold 3c2f7363 72697074.
	exported "$format" "$data/names"
	readable "$out/x.$format" > "$out/readable"
	! grep -q 3c2f7363 "$out/readable" || fail "$format: holds commands"
	! grep -q -e $'\e' -e '\\033' "$out/readable" || fail "$format: holds an escape character"
done
exported chrome --with-data "$data/names"
grep -q '"commands": "[0-9a-f]*3c2f736372697074' "$out/x.chrome" || fail "--with-data: chrome"
exported perfetto --with-data "$data/names"
readable "$out/x.perfetto" | grep -q 'string_value: "[0-9a-f]*3c2f736372697074' ||
	fail "--with-data: perfetto"
case $formats in
*sqlite)
	exported sqlite --with-data "$data/names"
	sqlite3 "$out/x.sqlite" 'SELECT dwords FROM submissions' | grep -q 3c2f736372697074 ||
		fail "--with-data: sqlite"

	# --- states that words visit: the paths are connected, their counts are those of the machine ---
	ask() {
		sqlite3 -separator ' ' "$out/x.sqlite" "$1"
	}
	"$ktail" --k 2 "$corpus/calls/graphs-50" -o "$out/fsm.json" || fail "no machine"
	exported sqlite --fsm "$out/fsm.json" "$corpus/calls/graphs-50"
	[ "$(ask 'SELECT count(*), sum(letters), sum(fitting) FROM words')" = '1 2353 2353' ] ||
		fail "--fsm: $(ask 'SELECT * FROM words')"
	[ -z "$(ask 'SELECT * FROM visits v JOIN visits n ON n.word = v.word AND
		n.position = v.position + 1 WHERE n.source <> v.target')" ] || fail "--fsm: a path has a gap"
	ask 'SELECT source, letter, target, count(*) FROM visits GROUP BY 1, 2, 3' | LC_ALL=C sort > "$out/taken"
	! command -v jq > /dev/null || jq -r '.transitions[] | "\(.from) \(.letter) \(.to) \(.count)"' "$out/fsm.json" | LC_ALL=C sort |
		cmp - "$out/taken" || fail "--fsm: other transitions"
	[ "$(ask "SELECT count(*) FROM visits v JOIN events e ON e.id = v.event
		WHERE v.letter IN ('R:sys', 'W:sys', 'W:fb') AND e.name <> v.letter")" = 0 ] ||
		fail "--fsm: other events"
	exported sqlite --fsm "$out/fsm.json" "$corpus/traces/vadd-4k" "$data/names"
	[ "$(ask 'SELECT count(*) FROM words')" = 2 ] || fail "--fsm: words of two traces"
	[ "$(ask 'SELECT count(*) FROM visits WHERE source IS NULL AND position <
		(SELECT fitting FROM words WHERE id = word)')" = 0 ] || fail "--fsm: a letter that fits has no state"
	exported sqlite "$data/names"
	[ "$(ask 'SELECT count(*) FROM states')" = 0 ] || fail "states without --fsm"
	expect 2 -f sqlite --fsm no-such.json "$data/names"
	says no-such.json
	;;
esac

# --- XES: well-formed, the order of IEEE 1849, the letters of the words ---
# elements XPATH: prints what the path selects, a line each
elements() {
	xmllint --xpath "$1" "$out/x.xes" | sed 's/^ *value="//; s/"$//; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
}
for arguments in "$corpus/traces/vadd-4k" "$corpus/calls/graphs-50 --alphabet submission --word channel" \
	"$data/names" "$data/lossy --runs R:sys --without W:sys"; do
	# shellcheck disable=SC2086 # a trace and options
	exported xes $arguments
	xmllint --noout "$out/x.xes" || fail "$arguments: not XML"
	rm -rf "$out/words"
	# shellcheck disable=SC2086
	"$ktail" words $arguments -o "$out/words" 2> /dev/null || fail "words of $arguments"
	elements '//*[local-name()="event"]/*[@key="concept:name"]/@value' > "$out/letters"
	n=$(elements 'count(//*[local-name()="trace"])')
	[ "$n" = "$(find "$out/words" -name '*.events' | wc -l)" ] || fail "$arguments: $n words"
	[ "$n" != 1 ] || grep -v '^#' "$out"/words/*.events | cmp - "$out/letters" ||
		fail "$arguments: other letters"
	[ "$(cat "$out"/words/*.events | grep -vc '^#')" = "$(wc -l < "$out/letters")" ] ||
		fail "$arguments: another number of letters"
	# The elements of a log come in this order; each event has a name and a time.
	[ "$(elements 'count(/*/*[local-name()="trace"][1]/preceding-sibling::*)')" = 8 ] ||
		fail "$arguments: the head"
	[ "$(elements 'count(//*[local-name()="event"][not(*[@key="concept:name"]) or
		not(*[local-name()="date"][@key="time:timestamp"])])')" = 0 ] ||
		fail "$arguments: an event without a name or a time"
done
expect 2 -f xes --channel 0x5c00000c "$data/names"
says '--channel selects letters of the alphabets'

# --- parts of traces ---
exported chrome --call cuMemcpyHtoD_v2 "$data/figures"
[ "$(grep -c '"ph": "B", "cat": "call"' "$out/x.chrome")" = 3 ] || fail "--call"
[ "$(grep -c '"ph": "i", "cat": "doorbell"' "$out/x.chrome")" = 4 ] || fail "--call: doorbells"
exported folded --thread 102 "$data/figures"
[ "$(cut -d' ' -f1 "$out/x.folded")" = 'app;cuStreamSynchronize
app;cuStreamSynchronize;poll' ] || fail "--thread: $(cat "$out/x.folded")"
expect 2 --thread 1 "$data/figures"
says 'find thread 1'

# --- several traces: numbers of processes and threads stay apart ---
exported chrome "$data/figures" "$data/figures" "$data/names"
[ "$(grep '"process_name"' "$out/x.chrome" | sed 's/.*"pid": \([0-9]*\).*/\1/' | sort -u | wc -l)" = \
	"$(grep -c '"process_name"' "$out/x.chrome")" ] || fail "two processes have one number"
grep -q '"app (figures)"' "$out/x.chrome" || fail "the name of a process lacks its trace"

# --- damaged traces, traces without calls ---
exported perfetto "$data/lossy"
says 'missing'
expect 4 --strict "$data/lossy" -o "$out/y.perfetto"
[ ! -e "$out/y.perfetto" ] || fail "--strict wrote a file"
for format in chrome perfetto; do
	exported "$format" "$data/odd"
done
for format in folded speedscope; do
	expect 3 -f "$format" "$data/odd"
	says 'the traces have no'
done

# --- submissions without a doorbell, doorbells of two channels, a poll that another thread numbered
# before the doorbell but that has an earlier time, calls that do not return ---
exported folded --weight bytes "$data/unrung"
[ "$(cat "$out/x.folded")" = 'app;cuLaunchKernel;doorbell 24
app;no doorbell 24
app;doorbell 72' ] || fail "--weight bytes: $(cat "$out/x.folded")"
exported folded "$data/unrung"
[ "$(sed 's/[^;]//g' "$out/x.folded" | sort -u | tail -1 | tr -d '\n' | wc -c)" = 64 ] ||
	fail "calls that do not return: not 64 frames"
exported ocel "$data/unrung"
! grep -q '[0-9]\{19\}' "$out/x.ocel" || fail "ocel: a duration below 0"
exported chrome "$data/unrung"
! grep -q '[0-9]\{19\}' "$out/x.chrome" || fail "chrome: a number of requests below 0"
case $formats in
*sqlite)
	exported sqlite --with-data "$data/unrung"
	[ "$(ask 'SELECT s.id, handle, doorbell IS NOT NULL, s.call IS NOT NULL, dwords FROM submissions s
		JOIN channels c ON c.id = s.channel')" = '1 16 1 1 200500170060000000000002000000010000000002100001
2 32 0 0 200500170060001000000002000000020000000002100001
3 16 1 0 200500170060002000000002000000030000000002100001
4 32 1 0 200500170060003000000002000000040000000002100001
5 16 1 0 200500170060004000000002000000050000000002100001' ] ||
		fail "submissions: $(ask 'SELECT * FROM submissions')"
	[ "$(ask 'SELECT min(latency) FROM latencies')" = 0 ] || fail "a latency below 0"
	[ "$(ask "SELECT count(*) FROM events WHERE name = ''")" = 1 ] || fail "an event without a name"
	[ "$(ask 'SELECT submission, kind FROM commands ORDER BY id' | tr '\n' ' ')" = \
		'1 semaphore-release 2 semaphore-release 3 semaphore-release 4 semaphore-release 5 semaphore-release ' ] ||
		fail "commands: $(ask 'SELECT * FROM commands')"
	for trace in "$data/unrung" "$data/figures" "$corpus/calls/graphs-50"; do
		exported sqlite "$trace"
		[ "$(ask 'SELECT id, channel, submitted, depth FROM queue_depths ORDER BY id')" = "$(ask 'SELECT id,
			channel, submitted, (SELECT count(*) FROM submissions o WHERE o.channel = s.channel AND
			o.submitted <= s.submitted AND o.completed > s.submitted) FROM submissions s
			WHERE completed IS NOT NULL ORDER BY id')" ] || fail "queue_depths of $trace"
	done
	;;
esac

# --- wrong usage, wrong inputs ---
expect 2
says 'no trace given'
expect 2 "$data/figures" -o "$out/x.pdf"
says '.speedscope'
expect 2 -f svg "$data/figures"
says '--format must be'
expect 2 --weight dollars "$data/figures"
says '--weight'
while read -r format options needs; do
	expect 2 -f "$format" ${options/=/ } "$data/figures"
	says "${options%%=*} needs $needs"
done << 'END'
chrome --weight=bytes the format folded
chrome --fsm=F the format sqlite
folded --alphabet=atc13 the format xes
ocel --word=channel the format xes
chrome --runs=R:sys the format xes
chrome --without=R:sys the format xes
folded --with-data one of the formats chrome, perfetto and sqlite
END
expect 0 -f chrome --with-data "$data/figures" -o "$out/x.folded" -o "$out/x.chrome"
expect 2 no-such-trace
says 'no-such-trace'
expect 3 "$data/script.events"
says 'it has only letters'
expect 2 "$data/figures" -o "$out/no-such-folder/x.folded"
says 'no-such-folder'
[ -z "$(find "$out" -name 'x.*.*')" ] || fail "left behind: $(ls "$out")"
exit 0
