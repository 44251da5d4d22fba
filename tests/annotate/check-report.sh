#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail report: golden reports, each checked by read-report; counts against those of ktail
# stats; what is left out without --with-data; names that could end a script; two sides; a damaged
# trace; wrong usage.
#   check-report.sh KTAIL READ-REPORT DATA CORPUS TEMPLATE
ktail=$1 read=$2 data=$3 corpus=$4 template=$5
program=("$ktail" report)
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/golden.sh"
cd "$data" || exit 2

# report FILE ARGUMENT...: writes a report to $out/FILE and checks it; its summary goes to $out/sum
report() {
	file=$out/$1
	shift
	expect 0 "$@" -o "$file"
	[ ! -s "$out/got" ] || fail "$*: wrote to standard output"
	"$read" "$file" > "$out/sum" 2> "$out/said" || fail "$*"
}

# value FILTER: prints what the filter of jq finds in the report that was written last
value() {
	"$read" --dump "$file" | jq -c "$1"
}

# is FILTER VALUE
is() {
	[ "$(value "$1")" = "$2" ] || fail "$1 is $(value "$1"), not $2"
}

# --- golden ---
for trace in figures names; do
	report $trace.json --k 3 $trace
	"$read" --dump "$file" > "$out/dump"
	golden_file report-$trace.json "$out/dump"
	report $trace.html --k 3 $trace
	"$read" --dump "$file" | cmp - "$out/dump" || fail "$trace: the page holds something else"
done
expect 0 -f json --k 3 figures
cmp "$out/got" "$out/figures.json" || fail "standard output"
expect 0 --k 3 figures
cmp "$out/got" <("$ktail" report -f html --k 3 figures) || fail "the default is a page"

# --- the page is the template with data in place of the marker ---
sed 's/{"deflate":"[^"]*"}/@DATA@/' "$out/figures.html" | cmp - "$template" || fail "the template"

# --- names that could end a script, or a line of one ---
report names.html names
[ "$(grep -c '</script><' "$file")" = 0 ] || fail "a name is in the page as it is"
grep -aq $'\e' "$file" && fail "an escape character is in the page"

# --- the corpus: counts, size, what is left out ---
for trace in "$corpus"/traces/vadd-4k "$corpus"/calls/graphs-50; do
	report corpus.html "$trace"
	[ "$(wc -c < "$file")" -lt 600000 ] || fail "$trace: $(wc -c < "$file") bytes"
	grep -q ' 0 layouts' "$out/sum" && fail "$trace: no layout"
done
if command -v jq > /dev/null; then
	trace=$corpus/calls/graphs-50
	is '[.events.kind[] | select(. == 0)] | length' "$("$ktail" stats -f json "$trace" |
		jq '[.rows[].calls] | add')"
	is '[.events.kind[] | select(. == 2)] | length' "$("$ktail" stats -f json "$trace" |
		jq '.total.doorbells')"
	is '[.words[].letters | length] | add' "$("$ktail" --k 1 -f json "$trace" |
		jq '[.words[].events] | add')"
	is '.tables | map(.title)' \
		'["API calls","Ioctls","Channels","Contexts","Classes","Requests by kind","Requests by call"]'
	is '[.. | strings | select(test("^/|[ =]/"))] | length' 0
	is '.with_data, has("data"), has("difference")' $'false\nfalse\nfalse'
	is '.holds | test("holds no submitted commands")' true
	report data.json --with-data names
	is '.holds | test("also holds")' true
	is '.data.doorbell | length' 1
	report given-up.json ../given-up
	is '.tables[0] | [.title, .rows[0][0:5]]' \
		'["Given up by the recorder, complete until then",["accesses",1,"sys","app",100]]'
	is '[.traces[0].facts[] | select(.[0] | test("given up")) | .[1] | sub("after.*"; "after")]' \
		'["accesses to mapping 1 (sys) of app (pid 100) after","commands of app (pid 100) after"]'
	report data.json --with-data names
	# The dwords of script-names.txt hold 3c2f7363 72697074.
	is '.data.dwords[0] | test("3c2f736372697074")' true
	is '.traces[0].facts[0]' '["path","names"]'
fi

# --- the commands of requests are those that ktail decode lists ---
if command -v jq > /dev/null; then
	for trace in "$corpus"/calls/graphs-50 figures; do
		report commands.json "$trace"
		value '.names as $names | .requests | [.doorbell, .commands] | transpose[] |
			select(.[0] >= 0) | .[1] | if . < 0 then "" else $names[.] end' > "$out/listed"
		"$ktail" decode --brief -f json "$trace" | jq -nc '
			reduce inputs as $line ([]; if $line.type == "submission" and $line.doorbell_written
				then . + [[$line.submission, []]]
				elif $line.command and length > 0 and .[-1][0] == $line.submission
				then .[-1][1] += [$line.command.kind + (if $line.command.kind == "bind"
					then " " + $line.command.class else "" end)] else . end) | .[] |
			reduce .[1][] as $name ({}; .[$name] += 1) | to_entries |
			(.[:8] | map(.key + (if .value > 1 then " ×\(.value)" else "" end))) +
				(.[8:] | map(.value) | add // 0 | if . > 0 then ["and \(.) more"] else [] end) |
			join(", ")' > "$out/decoded"
		[ -s "$out/decoded" ] && cmp "$out/listed" "$out/decoded" || fail "$trace: commands"
	done
fi

# --- parts, k, titles ---
report part.json --call cuMemcpyHtoD_v2 figures
report large.json --k 1000 figures
report zero.json --k 0 --title 'A <b>title' figures
if command -v jq > /dev/null; then
	is '.title, .chosen, .why' $'"A <b>title"\n0\n"it was asked for by --k"'
fi
report letters.json --names=off --runs R:sys --without W:sys figures
report commands.json --alphabet submission --word channel figures
report several.json figures names
report lossy.json lossy
expect 4 --strict lossy -o "$out/x.json"
[ ! -e "$out/x.json" ] || fail "--strict wrote a file"

# --- machines are labelled in one reading as ktail annotate labels each of them ---
if command -v jq > /dev/null; then
	report labels.json "$corpus/calls/graphs-50" figures
	"$read" --dump "$file" > "$out/dump"
	is '.machines | length > 2' true
	for k in $(jq '.chosen, .machines[-1].k' "$out/dump"); do
		"$ktail" --k "$k" "$corpus/calls/graphs-50" figures -o "$out/machine.json" &&
			"$ktail" annotate "$out/machine.json" "$corpus/calls/graphs-50" figures \
				-o "$out/annotated.json" || fail "annotate k = $k"
		jq -c '(.transitions[] | [.from, .to, .count, .label]), (.states[] | [.phase, .label])' \
			"$out/annotated.json" > "$out/alone"
		jq -c --argjson k "$k" '.names as $names | .machines[] | select(.k == $k) |
			(.transitions[] | [.[0], .[1], .[3], (if .[4] < 0 then null else $names[.[4]] end)]),
			(.states[] | [.phase, .label])' "$out/dump" > "$out/together"
		[ "$(wc -l < "$out/alone")" -gt 100 ] && cmp "$out/alone" "$out/together" || fail "labels at k = $k"
	done
fi

# --- the most events: the first of each trace, and what belongs to them ---
report few.json --events 1000 "$corpus/calls/graphs-50"
if command -v jq > /dev/null; then
	is '.events.time | length' 1000
	is '.left_out' 1533
	is '.holds | test("Of 2533 events, the first 1000 are in it")' true
	is '.words | map([(.letters | length), .left_out])' '[[926,1427]]'
	is '[.events.kind[] | select(. == 2)] | length' "$(value '.requests.submitted | length')"
	is '.tables[0] | .rows[-1][.columns | map(.key) | index("calls")]' \
		"$("$ktail" stats -f json "$corpus/calls/graphs-50" | jq '[.rows[].calls] | add')"
	# A trace with fewer events than its share leaves the rest to the others.
	report share.json --events 1000 figures "$corpus/calls/graphs-50"
	few=$("$ktail" report -f json figures | jq '.events.time | length')
	is '.events.time | length' 1000
	is '[.threads[.events.thread[]].trace] | [map(select(. == 0)), map(select(. == 1))] | map(length)' \
		"[$few,$((1000 - few))]"
	report all.json --events 0 "$corpus/calls/graphs-50"
	is '.left_out, (.events.time | length)' $'0\n2533'
fi

# --- two sides ---
report two.html --old "$corpus/traces/graphs-10" --new "$corpus/traces/graphs-50"
if command -v jq > /dev/null; then
	is '.sides, [.traces[].side]' $'["old","new"]\n[0,1]'
	is '[.tables[] | select(.title == "Ioctls").side]' '[0,1]'
	is '.difference.lines | any(test("The words differ"))' true
	is '.difference | keys' '["lines"]'
	is '[.. | strings | select(test("^/|[ =]/"))] | length' 0
fi
report three.json --old figures --old figures --new names

# --- wrong usage, wrong inputs ---
expect 2
says 'no trace given'
expect 2 --old figures
says '--old and --new need each other'
expect 2 --old figures --new names odd
says 'give each trace after --old or --new'
expect 2 --old figures --new names --call cuInit
says '--call does not go with --old and --new'
expect 2 figures -o "$out/report.pdf"
says '.html'
expect 2 no-such-trace
says 'no-such-trace'
expect 3 figures.json
says 'figures.json'
expect 3 "$(dirname "$data")/data/script.events"
says 'it has only letters'
expect 2 figures -o "$out/no-such-folder/report.html"
says 'no-such-folder'
exit 0
