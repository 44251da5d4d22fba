#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests --runs and --without: words have the expected letters, each letter keeps the data that
# belong to it, and a machine records how its words were made.
#   check-filter.sh KTAIL TRACE TRACE-WITH-GAPS
ktail=$1 trace=$2 gaps=$3
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# filter [COLUMN]: leaves out W:sys and map:reg and merges runs of R:sys and W:reg; in a table,
# letters are in COLUMN.
filter() {
	awk -F '\t' -v at="${1:-0}" '/^#/ { next }
		$at == "W:sys" || $at == "map:reg" { next }
		($at != "R:sys" && $at != "W:reg") || $at != before
		{ before = $at }'
}
options='--runs R:sys --runs W:reg --without W:sys -x map:reg'

# --- words of traces, .events and .dat files ---
for case in "$trace" "$gaps" "$trace --word thread" "$trace --alphabet rm"; do
	rm -rf all some
	# shellcheck disable=SC2086
	{
		runs 0 '' words $case -o all
		runs 0 '' words $case $options -o some
	}
	for word in all/*.events; do
		filter < "$word" > wanted
		[ -s wanted ] || continue
		grep -v '^#' "some/${word#all/}" | cmp - wanted || fail "$case: ${word#all/}"
	done
done
rm -rf all some
runs 0 '' words "$trace" -o all
runs 0 '' words "$trace" $options -o some
runs 0 '' words all/*.events $options -o again
for word in some/*; do
	cmp "$word" "again/${word#some/}" || fail "of .events: $word"
done
runs 0 '' words all/*.events -o all.dat
runs 0 '' words all.dat $options -o filtered.dat
runs 0 '' words some/*.events -o some.dat
same filtered.dat some.dat

# --- stored in the machine ---
runs 0 '' --k 5 "$trace" -o plain.json
runs 0 '' --k 5 "$trace" $options -o fsm.json -o part.kgrams
grep -q '"runs": \["R:sys", "W:reg"\], "without": \["W:sys", "map:reg"\]},$' fsm.json ||
	fail "$(grep alphabet fsm.json)"
grep -q '"runs"\|"without"' plain.json && fail "a machine without"
runs 0 '' --k 5 all/*.events $options -o events.json
grep -qx '  "alphabet": {"runs": \["R:sys", "W:reg"\], "without": \["W:sys", "map:reg"\]},' \
	events.json || fail "$(grep alphabet events.json)"
runs 0 '' --k 5 some/*.events -o some.json
states() { sed -n '/"words": \[/,$p' "$1"; }
cmp <(states some.json) <(states events.json) || fail "the machine of words made less"

# --- check, of traces and of words ---
for case in "fsm.json $trace" "fsm.json all/*.events" "events.json all/*.events" \
	"fsm.json all.dat" "fsm.json $trace $options" "plain.json $trace"; do
	# shellcheck disable=SC2086
	runs 0 - check $case
done
runs 1 '' check plain.json some/*.events
# A letter that no word has is reported, in traces and in files.
runs 0 '^ktail: warning: --runs R:sy has no effect: no word has this letter$' \
	--k 1 --runs R:sy --without W:fb "$trace" -o typo.json
printf 'a\nb\n' > ab.events
runs 0 '^ktail: warning: --without c has no effect: no word has this letter$' \
	--k 1 --without c --without b --runs a ab.events -o typo.json
runs 2 "^ktail: read fsm.json: its words were made with --without 'W:sys' --without 'map:reg' --runs 'R:sys' --runs 'W:reg', which --runs 'R:sys' contradicts$" \
	check fsm.json "$trace" --runs R:sys
runs 2 'contradicts$' annotate fsm.json "$trace" --without R:sys

# --- a word without remaining letters is not written; its loss is added to a neighbour ---
mkdir emptied
printf '#ktail lost 3\np\np\n' > emptied/a.events
printf 'q\np\n' > emptied/b.events
: > emptied/c.events
printf '#ktail lost 4\np\n' > emptied/d.events
runs 0 - words emptied/?.events --without p -o emptied-words
[ "$(ls emptied-words)" = "$(printf 'b.events\nc.events')" ] || fail "emptied words: $(ls emptied-words)"
runs 0 - --k 1 emptied/b.events emptied/c.events -o emptied.json
runs 0 - check emptied.json --without p emptied/?.events
grep -q '^a: ' stdout && fail "check of an emptied word: $(cat stdout)"
runs 4 '7 events' check emptied.json --strict --without p emptied/?.events
runs 4 '7 events' words --strict emptied/?.events --without p -o emptied-strict
runs 0 - words emptied/a.events emptied/b.events --without p -o emptied-saved
runs 4 '3 events' words --strict emptied-saved/b.events -o emptied-again
runs 0 - words emptied/b.events emptied/d.events --without p -o emptied-last
grep -qx '#ktail lost 4' emptied-last/b.events || fail "the loss of the last word is forgotten"
printf '#ktail cut-begin\np\n' > emptied/e.events
runs 0 - check emptied.json --strict --without p emptied/b.events emptied/e.events
runs 3 'no event gives a letter' --without p emptied/a.events -o none.json

# --- diff, score ---
runs 0 - diff fsm.json "$trace"
runs 0 - diff "$trace" fsm.json $options
runs 2 'contradicts$' diff fsm.json "$trace" --runs W:fb
runs 1 'the words of the new machine were made with .*, those of the old machine were not$' \
	diff plain.json fsm.json
runs 0 - diff plain.json "$trace" --runs R:sys
runs 0 - score fsm.json "$trace" --k 5 --walks 100
grep -q '^machine  fsm.json: \([0-9]* states, [0-9]* transitions\), k = 5$' stdout || fail "$(cat stdout)"
[ "$(sed -n 's/^machine.*: \(.*\), k.*/\1/p' stdout)" = "$(sed -n 's/^truth.*: \(.*\), k.*/\1/p' stdout)" ] ||
	fail "score: $(cat stdout)"
runs 0 '' sweep --k 1-3 "$trace" $options -f json
grep -q '"runs": \["R:sys", "W:reg"\]' stdout || fail "sweep"

# --- data that belongs to letters ---
runs 0 '' annotate plain.json "$trace" --occurrences plain.tsv
runs 0 '' annotate fsm.json "$trace" --occurrences some.tsv -o annotated.json
cut -f 1-5 plain.tsv | filter 5 > wanted
cut -f 1-5 some.tsv | cmp - wanted || fail "occurrences"
grep -q '"runs": \["R:sys", "W:reg"\]' annotated.json || fail "annotated"
runs 0 - check annotated.json "$trace"

# --- statistics ---
runs 0 '' merge part.kgrams -o merged.json
cmp <(states fsm.json) <(states merged.json) || fail "merged"
runs 0 '' merge part.kgrams "$trace" -o twice.json
grep -q '"runs": \["R:sys", "W:reg"\]' twice.json || fail "merge with a trace"
runs 0 '' --k 5 "$trace" -o other.kgrams
runs 2 '^ktail: merge statistics: they were made with different --runs or --without$' \
	merge part.kgrams other.kgrams
runs 2 'contradicts$' merge part.kgrams "$trace" --runs R:sys

# --- malformed filters ---
sed 's/"runs": \["R:sys"/"runs": [7/' fsm.json > x.json
runs 3 'read x.json: alphabet.runs\[0\]: must be a letter, not 7' check x.json "$trace"

[ $failures = 0 ]
