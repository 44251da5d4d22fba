#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail annotate on the command line: golden machine and report, which output is written
# to which file, and which input is refused.
#   check-annotate.sh KTAIL DATA TRACES CALLS
ktail=$1 data=$2 traces=$3 calls=$4
program=("$ktail" annotate)
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/golden.sh"
cd "$data" || exit 2

# plain FILE: prints the machine without what annotation adds. Each added member has a line
# of its own and is removed with the comma before it; after an object's last member, the
# end of the object stays.
members='([a-z]+)'
plain() {
	sed -z -E -e ':a' -e 's/,\n     "'"$members"'": [^\n]*,\n     "/,\n     "/g;ta' \
		-e 's/,\n     "'"$members"'": [^\n]*(},?)\n/\2\n/g' \
		-e 's/,\n  "annotation": [^\n]*\n/\n/' "$1"
}

# own_json prints only the JSON members that labels.c writes, and own_text only its section of the
# report.
own='(label|labels|calls|detail|submissions|time|evidence)'
own_json() {
	sed -E -e '/^     "'"$own"'": /!{/^     "/d}' -e '/^     "/s/[},]+$//' \
		-e 's/("name": "built-in", "count": )[0-9]+/\1N/' \
		-e 's/^  "annotation": (\{"traces": .*"labels": \[[^]]*\]).*/  "annotation": \1/' "$1"
}
own_text() {
	sed -E '/^(API calls|Phases|Requests|Pairs)/,$d' "$1"
}

# A small machine of a trace with calls. Without the members that annotation adds, the annotated
# machine is the original, byte for byte.
"$ktail" --k 2 figures -o "$out/figures.json" || fail "infer figures"
expect 0 "$out/figures.json" figures -o "$out/a.json" -o "$out/a.txt"
[ ! -s "$out/said" ] || fail "annotate figures says something"
[ ! -s "$out/got" ] || fail "annotate -o writes to standard output"
own_json "$out/a.json" > "$out/own.json"
own_text "$out/a.txt" > "$out/own.txt"
golden_file annotate-figures.json "$out/own.json"
golden_file annotate-figures.txt "$out/own.txt"
# The same without commands from cuMemcpyDtoH on: nothing is concluded from their absence.
"$ktail" --k 2 ../given-up -o "$out/given-up.json" 2> /dev/null || fail "infer given-up"
expect 0 "$out/given-up.json" ../given-up -o "$out/b.json" -o "$out/b.txt"
says 'gave up commands of app (pid 100) after 0.000'
grep -A 1 '^Calls that submit' "$out/b.txt" > /dev/null && grep -q '^accesses  *1  sys  *app ' "$out/b.txt" ||
	fail "the report does not say what was given up"
awk '/^Calls that submit/ { on = 1; next } on && /^$/ { exit } on { print $1 }' "$out/b.txt" > "$out/functions"
[ "$(tr '\n' ' ' < "$out/functions")" = 'function cuMemcpyHtoD_v2 ' ] || fail "calls: $(cat "$out/functions")"
if command -v jq > /dev/null; then
	[ "$(jq -c '[.annotation.given_up[] | .what, .space]' "$out/b.json")" = '["accesses","sys","commands",null]' ] ||
		fail "annotation.given_up"
	[ "$(jq -c '[.annotation.calls[]? | select(.name == "cuMemcpyDtoH_v2") | .doorbells, .bytes, has("bytes")]' "$out/b.json")" = \
		'[1,null,true]' ] || fail "annotation.calls: $(jq -c .annotation.calls "$out/b.json")"
fi
plain "$out/a.json" > "$out/plain.json"
cmp "$out/figures.json" "$out/plain.json" || fail "annotation changes the machine"
expect 0 "$out/figures.json" figures
cmp "$out/a.txt" "$out/got" || fail "the report on standard output"
expect 0 "$out/figures.json" figures -o -
cmp "$out/a.txt" "$out/got" || fail "the report for -o -"

# Annotating the output again gives the same output.
expect 0 "$out/a.json" figures -o "$out/b.json"
cmp "$out/a.json" "$out/b.json" || fail "annotating twice"

# In traces of an H200, every letter has a label, and less than 2 % of the letters are accesses to
# memory whose use is unknown.
for trace in vadd-4k graphs-50; do
	for folder in "$traces" "$calls"; do
		"$ktail" --k 20 "$folder/$trace" -o "$out/m.json" || fail "infer $trace"
		expect 0 --strict "$out/m.json" "$folder/$trace" -o "$out/a.json" -o "$out/a.txt"
		plain "$out/a.json" > "$out/plain.json"
		cmp "$out/m.json" "$out/plain.json" || fail "annotation changes $trace"
		grep -q 'no rule fits' "$out/a.txt" && fail "letters of $trace without label"
		# The report's count of each label is the label's number of rows in the occurrences.
		expect 0 "$out/m.json" "$folder/$trace" --occurrences "$out/o.tsv"
		awk -F '\t' 'NR > 1 && $6 != "" { n[$7]++ }
			END { for (label in n) printf "%d %s\n", n[label], label }' "$out/o.tsv" |
			LC_ALL=C sort > "$out/counted"
		sed -nE 's/^ +([0-9]+) +[0-9.]+%  (.*)/\1 \2/p' "$out/a.txt" |
			LC_ALL=C sort > "$out/said-counts"
		cmp "$out/counted" "$out/said-counts" || {
			diff "$out/counted" "$out/said-counts"
			fail "the counts of $trace are not those of its letters"
		}
		awk '/% +(read|write) memory$/ { sum += $2 + 0 } END { exit sum >= 2 }' \
			"$out/a.txt" || fail "too much memory of no known use in $trace"
	done
done
grep -q 'submit: graph launch' "$out/a.txt" || fail "graphs-50 launches no graph"
(cd "$calls" && "$ktail" --k 20 vadd-4k -o "$out/m.json" &&
	"$ktail" annotate "$out/m.json" vadd-4k -o "$out/v.txt" -o "$out/v.dot" \
		-o "$out/v.json") || fail vadd-4k
own_text "$out/v.txt" > "$out/own.txt"
golden_file annotate-vadd.txt "$out/own.txt"
# A report lists at most 20 initiation and completion points.
(cd "$calls" && "$ktail" --k 20 copies-pageable graphs-50 -o "$out/m.json" &&
	"$ktail" annotate "$out/m.json" copies-pageable graphs-50 > "$out/p.txt") || fail points
awk '/^Initiation and completion points/ { on = 1; next }
	/^$/ { on = 0 }
	on && /^ +[0-9]/ { rows++ }
	on && /^and [0-9]+ more with fewer requests$/ { more = 1 }
	on && length > 140 { wide = 1 }
	END { exit !(rows == 20 && more && !wide) }' "$out/p.txt" || fail "initiation and completion points"
# The report has each state once, with its label.
sed -nE '/^    visits  phase/,/^$/p' "$out/own.txt" | sed -E -e '1d' -e 's/^.{22}//' \
	-e 's/ *\[.*//' | tr ',' '\n' | awk '{
		label = $0
		sub(/^ *([0-9]+(-[0-9]+)? )+/, "", label)
		sub(/ [0-9]+ \/ .*/, "", label)
		for (i = 1; $i ~ /^[0-9]+(-[0-9]+)?$/; i++) {
			n = split($i, ends, "-")
			for (j = ends[1]; j <= ends[n]; j++) print j "\t" label
		}
	}' | sort -n > "$out/in-report"
if command -v jq > /dev/null; then
	jq -r '.states[] | [.id, .label] | @tsv' "$out/v.json" | cmp - "$out/in-report" ||
		fail "the states of the report are not those of the machine"
fi
grep -q 'tooltip="state 0\\nbegin' "$out/v.dot" || fail "a drawing without labels"

# --evidence N gives at most N examples.
expect 0 --evidence 0 "$out/figures.json" figures -o "$out/a.json"
grep -q '^     "evidence"' "$out/a.json" && fail "--evidence 0 gives examples"
expect 0 -e 1 "$out/figures.json" figures -o "$out/a.json"
grep -q '^     "evidence".*}, {' "$out/a.json" && fail "--evidence 1 gives more"
expect 2 -e 1001 "$out/figures.json" figures
expect 2 -e x "$out/figures.json" figures

# The user's table of rules replaces the built-in table.
printf 'event=doorbell\tring {work}\tsubmit\tmine\n' > "$out/rules.tsv"
expect 0 --rules "$out/rules.tsv" "$out/figures.json" figures
grep -q 'ring launch' "$out/got" || fail "own rules"
grep -q 'no rule fits' "$out/got" || fail "own rules label everything"
printf 'event=doorbell\tring\tsubmit\n' > "$out/rules.tsv"
expect 3 --rules "$out/rules.tsv" "$out/figures.json" figures
says "read $out/rules.tsv: line 1: not four fields separated by tabs"
expect 2 --rules "$out/none.tsv" "$out/figures.json" figures
says "read $out/none.tsv: No such file"
expect 2 --rules "$out/rules.tsv" --rules "$out/rules.tsv" "$out/figures.json" figures
says "--rules is given twice"
expect 2 --nonsense
says "unknown option --nonsense; see ktail annotate --help"
expect 2 -y
says "unknown option -y; see ktail annotate --help"

# States merged by hand: by numbers, then by the rules that this gives, which make the same machine;
# it reads the words that the machine read before.
"$ktail" --k 20 "$calls/vadd-4k" -o "$out/m.json" || fail "infer vadd-4k"
expect 0 "$out/m.json" "$calls/vadd-4k" --merge 192,196,207=submit --merge 2-3=ask \
	--save-rules "$out/merge.tsv" -o "$out/a.json" -o "$out/a.txt" -o "$out/a.dot"
sed -n '/^States merged by hand/,/^$/p' "$out/a.txt" > "$out/merged"
diff - "$out/merged" << 'EOF' || fail "the report of merged states"
States merged by hand: 417 states instead of 420
   state  numbers before, and name
       2  2-3 ask
     191  192 196 207 submit

EOF
grep -q '"merges": \[{"state": 2, "name": "ask", "chosen": \[2, 3\], "also": \[\]}' "$out/a.json" ||
	fail "merged states in JSON"
grep -q 'tooltip="state 191\\nsubmit' "$out/a.dot" || fail "a merged state without its name"
"$ktail" check "$out/a.json" "$calls/vadd-4k" > "$out/said" || fail "the old word does not fit"
expect 0 --rules "$out/merge.tsv" "$out/m.json" "$calls/vadd-4k" -o "$out/b.json"
plain "$out/a.json" > "$out/plain-a"
plain "$out/b.json" > "$out/plain-b"
cmp "$out/plain-a" "$out/plain-b" || fail "the saved rules make another machine"
# A saved file has the rules that it began with. The machine that is merged already stays so.
expect 0 --rules "$out/merge.tsv" "$out/m.json" "$calls/vadd-4k" --merge 5,9=more --save-rules -
head -n "$(wc -l < "$out/merge.tsv")" "$out/got" | cmp - "$out/merge.tsv" || fail "saved rules"
[ "$(grep -c '	more	merge	' "$out/got")" = 2 ] || fail "rules for --merge"
expect 0 --rules "$out/merge.tsv" "$out/a.json" "$calls/vadd-4k" -o "$out/b.json"
plain "$out/b.json" | cmp "$out/plain-a" - || fail "merging twice"
# The rules fit the machines of other programs and of another k, where the states have other numbers.
sed -i '/	ask	/d' "$out/merge.tsv"
for other in "graphs-50 20" "copies-pinned 12" "streams-blocking 20"; do
	"$ktail" --k "${other#* }" "$calls/${other% *}" -o "$out/o.json" || fail "infer $other"
	expect 0 --rules "$out/merge.tsv" "$out/o.json" "$calls/${other% *}"
	grep -q '^ *[0-9]*  [0-9]* [0-9]* [0-9]* submit$' "$out/got" || fail "merge in $other"
done
# States by meaning; what the machine must merge with them is said.
printf 'label=poll*\tpoll\tmerge\tmine\n' > "$out/rules.tsv"
expect 0 --rules "$out/rules.tsv" "$out/m.json" "$calls/vadd-4k"
grep -q '^States merged by hand' "$out/got" || fail "merge by label"
[ ! -s "$out/said" ] || fail "merging says something"
printf '# mine\nlabel=map*memory phase=CREATE\tmap\tmerge\tx\nlabel=ask*\task\tmerge\tx\n' > "$out/rules.tsv"
expect 2 --rules "$out/rules.tsv" "$out/m.json" "$calls/vadd-4k"
says "(\"ask\", line 3 of $out/rules.tsv)"
says "(\"map\", line 2 of $out/rules.tsv) would become one, because the same letters lead to both"
printf 'after=no:letter\tx\tmerge\tmine\n' > "$out/rules.tsv"
expect 3 --rules "$out/rules.tsv" "$out/m.json" "$calls/vadd-4k"
says "read $out/rules.tsv: line 1: $out/m.json has no state that fits, for \"x\""
printf '\nafter=W:fb\tx\tmerge\tmine\n' > "$out/rules.tsv"
expect 3 --rules "$out/rules.tsv" "$out/m.json" "$calls/vadd-4k"
says "read $out/rules.tsv: line 2: "
says 'but "after" names one, for "x"; give more letters before it'
expect 2 "$out/m.json" "$calls/vadd-4k" --merge 1,420=x
says "--merge 1,420=x: $out/m.json has no state 420, only 0 to 419"
expect 2 "$out/m.json" "$calls/vadd-4k" --save-rules -
says "--save-rules needs --merge or --rules"
expect 2 "$out/m.json" "$calls/vadd-4k" --merge 1,2=x --save-rules "$out/x.json"
says "this version writes"

# Refused inputs: missing arguments and files, files of another type, a machine without the name of
# its alphabet, a difference.
expect 2
says "a machine and a trace are needed"
expect 2 "$out/figures.json"
expect 2 "$out/none.json" figures
echo '{}' > "$out/no.json"
expect 3 "$out/no.json" figures
"$ktail" words figures -o "$out/words" && "$ktail" --k 2 "$out"/words/*.events -o "$out/e.json"
expect 2 "$out/e.json" figures
says "the machine does not name its alphabet"
says "infer it from the trace"
expect 3 "$out/figures.json" "$out"/words/*.events
says "it has only letters"
"$ktail" diff "$out/figures.json" "$out/e.json" -o "$out/d.json" > "$out/got" 2>&1
expect 2 "$out/d.json" figures
expect 2 "$out/figures.json" "$out/nowhere"
[ ! -e "$out/x.json" ] || fail "a test file is in the way"
expect 2 "$out/figures.json" "$out/nowhere" -o "$out/x.json"
[ ! -e "$out/x.json" ] || fail "a file is left of a failure"
expect 2 "$out/figures.json" figures -o "$out/x.pcap"
says "this version writes"

expect 2 "$out/figures.json" figures -o "$out/x.json" --pairs "$out/x.json"
says "two options write"
expect 2 "$out/figures.json" figures --requests "$out/x.tsv" --pairs "$out/x.tsv"
expect 2 "$out/figures.json" figures --requests "$out/x.tsv" --pairs "$out/./x.tsv"
says "two options write"
expect 0 "$out/figures.json" figures --requests - --pairs - -o -
[ ! -e "$out/x.json" ] && [ ! -e "$out/x.tsv" ] || fail "a file is left of a wrong command line"

# The first letter that does not fit is reported; with --strict, such letters are an error.
expect 0 "$out/figures.json" submissions
says "does not fit the machine"
says "from letter 1 on"
says "no letter of the traces is in the machine"
says "no trace has API calls"
expect 4 --strict "$out/figures.json" submissions
says "letters are not placed"
"$ktail" --k 2 lossy -o "$out/lossy.json" 2> "$out/said" || fail "infer lossy"
expect 4 --strict "$out/lossy.json" lossy
says "dwords were not read, are missing, or follow missing ones"
expect 0 "$out/lossy.json" lossy
says "3 dwords are missing"
# The meaning of a submission is unknown if its ring or its dwords are missing.
"$ktail" --k 2 odd -o "$out/odd.json" 2> "$out/said" || fail "infer odd"
expect 0 "$out/odd.json" odd
expect 4 --strict "$out/odd.json" odd
says "1 ring could not be read"

# Submissions read from the rings of two channels are kept apart; each letter has one label.
for alphabet in submission methods; do
	"$ktail" --alphabet $alphabet --k 2 found -o "$out/m.json" || fail "infer found"
	expect 0 --strict "$out/m.json" found --occurrences "$out/o.tsv"
	awk -F '\t' 'NR > 1 { print $3, $7 }' "$out/o.tsv" | uniq > "$out/labels"
	cut -d ' ' -f 2- "$out/labels" | uniq | diff - - << 'EOF' || fail "$alphabet: labels of what was found"
submit: copy
submit: setup
submit: semaphore release
EOF
	[ "$(cut -d ' ' -f 1 "$out/labels" | sort -u | wc -l)" = "$(wc -l < "$out/labels")" ] ||
		fail "$alphabet: a letter with two labels"
done

# The letters of several traces are counted together.
"$ktail" --k 2 figures submissions -o "$out/two.json" 2> /dev/null || fail "infer two"
expect 0 "$out/two.json" figures submissions
grep -q '^Letters of 2 traces: 24 placed, 0 not' "$out/got" || fail "two traces: $(head -1 "$out/got")"

# Label rules match events, so letters of other alphabets and units of words have labels, too.
for alphabet in rm submission methods api; do
	"$ktail" --alphabet $alphabet --k 2 figures -o "$out/m.json" || fail "infer $alphabet"
	expect 0 "$out/m.json" figures -o "$out/m.txt"
	grep -q 'no rule fits' "$out/m.txt" && fail "$alphabet: letters without label"
done
grep -q 'call cuInit' "$out/m.txt" || fail "letters of calls"
"$ktail" --alphabet submission --k 2 figures -o "$out/m.json" &&
	"$ktail" annotate "$out/m.json" figures -o "$out/m.txt" || fail submission
grep -q 'submit: copy' "$out/m.txt" || fail "letters of submissions"
"$ktail" --word thread --k 2 figures -o "$out/m.json" || fail "infer threads"
expect 0 "$out/m.json" figures

expect 0 --help
grep -q -- --evidence "$out/got" || fail "--help"
expect 0 --version
exit 0
