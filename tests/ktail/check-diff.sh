#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail diff: exit statuses, messages and output files, and the true difference of the two
# versions of the software GPU's driver, from their true machines.
#   check-diff.sh KTAIL SOFTGPU
ktail=$1 softgpu=$2
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# runs STATUS PATTERN ARGUMENT...: checks the exit status, and that a line of standard error matches
runs() {
	local expected=$1 pattern=$2
	shift 2
	"$ktail" diff "$@" > stdout 2> stderr
	local status=$?
	[ $status = "$expected" ] || { fail "diff $*: status $status, not $expected"; cat stdout stderr; }
	if [ -n "$pattern" ]; then
		grep -q -- "$pattern" stderr || { fail "diff $*: not '$pattern':"; cat stderr; }
	elif [ -s stderr ]; then
		fail "diff $*: unexpected:"
		cat stderr
	fi
	return 0
}

# says TEXT...: checks that standard output, with line breaks as blanks, contains each text
says() {
	local text
	for text; do
		tr -s ' \n' ' ' < stdout | grep -qF -- "$(tr -s ' ' <<<"$text")" ||
			{ fail "no '$text' in:"; cat stdout; }
	done
}

# word NAME LETTER...
word() {
	local name=$1
	shift
	printf '%s\n' "$@" > "$name.events"
}

# The true machines diverge at one transition, which is the true difference.
truth=$softgpu/truth.json
runs 1 '^ktail: the machines differ: see truth.svg$' "$softgpu/truth-version-1.json" "$truth" -o truth.txt -o truth.json -o truth.svg
[ -s stdout ] && fail "standard output beside -o"
mv truth.txt stdout
says 'The machines differ. The new machine accepts nothing that the old one does not.' \
	'Where only the old machine goes on, after words that both read: 1 transition They end in W:reg W:sys.' '| W:sys' \
	'  W:reg W:sys (from 2 states)'
[ "$(grep -c '(from' stdout)" = 1 ] || fail "more than one sequence"
says "Only the old machine allows W:reg W:sys. Leaving out R:sys makes the languages the same, but hides this difference (--without 'R:sys')."
grep -q 'states  *229 *225 *225 *0 *4$' stdout || fail "states are not kept"
grep -q 'transitions  *282 *273 *273 *0 *9$' stdout || fail "transitions are not kept"
grep -q '"old_in_new": false, "new_in_old": true' truth.json || fail "truth.json: inclusions"
grep -qF '{"side": "old", "states": 2, "letters": ["W:reg", "W:sys"]}' truth.json || fail "truth.json: sequence"
[ "$(grep -c '^      {"side": .*"length":' truth.json)" = 1 ] || fail "truth.json: words"
grep -q '<svg' truth.svg || fail "no drawing"
runs 1 '' "$truth" "$softgpu/truth-version-1.json"
says 'The old machine accepts nothing that the new one does not.' 'Where only the new machine goes on, after words that both read: 1 transition'
runs 0 '' "$truth" "$truth"
says 'The machines are equal.'
runs 0 '' "$softgpu/truth-version-1.json" "$truth" --without R:sys --without W:sys
says 'without R:sys and W:sys'

# A difference can be drawn again, but not compared.
runs 2 'read truth.json: it is the difference of two machines, but the old side must be' truth.json "$truth"
"${ktail%/*}/ktail-render" truth.json -o again.svg || fail "ktail-render does not take it"

# Traces whose words differ only in how often the driver polled
word a open poll work poll poll close
word b open poll poll poll work poll close
runs 1 '' --k 5 a.events b.events
says 'They differ only in how often poll comes in a row: if runs count as one, the words are the same' "--runs 'poll'" \
	'words                1         1         0         1         1'
runs 0 '' --k 5 --runs poll a.events b.events
says 'runs of poll count as one letter' 'The machines are equal.' \
	'words                1         1         1         0         0'
runs 0 '' --k 5 --without poll a.events b.events
# c.events has no poll, so leaving out poll makes the words equal, but merging runs does not.
word c open work poll close
runs 1 '' --k 5 a.events c.events
says 'Leaving out poll makes the words the same, but hides this difference' "--without 'poll'"
# The advice for a run of several letters names each of them.
word i open poll look work close
word j open poll work close look
runs 1 '' --k 5 --runs poll --runs look i.events j.events
says "(--without 'poll' --without 'look')"
runs 0 '' --k 5 --without poll --without look i.events j.events
# The words diverge at p, but only p and q together explain the difference.
word x a b p c q d e f
word y a b p p c q q d e f
runs 1 '' --k 5 x.events y.events
says 'p and q come in a row: if runs count as one, the words are the same'
# Q moved among the polls P, and is equally frequent in both words.
word m a P P b P Q P c d e f g h i
word n a P b P c d Q e f g h i
runs 1 '' --k 20 m.events n.events
says 'Leaving out P and Q makes the words the same' "(--without 'P' --without 'Q')"
# Leaving out no single letter makes the words equal, but leaving out p makes the machines equal.
word r a p b a b a b q c
word s a b p a p b q c
runs 1 '' --k 1 r.events s.events
says 'No single letter makes the words the same, but the machines are the same without p' \
	"(--k 1 --without 'p')"
runs 0 '' --k 1 --without p r.events s.events
# Three letters occur a varying number of times; without them the words are equal.
word u a P b Q c R d e f g h P Q i
word v a b P P c Q d P e R R f g h i
runs 1 '' --k 9 u.events v.events
says 'Leaving out P, Q and R makes the words the same' "(--without 'P' --without 'Q' --without 'R')"
# R is equally frequent in both words, but at different positions among the polls S.
word s1 a b c p S R S S q R S r
word s2 a b c p S R S q S r R
runs 1 '' --k 9 s1.events s2.events
says 'S and R come: without them the words are the same' "(--without 'S' --without 'R')"
# A letter that is named twice counts once.
runs 0 '' --k 5 --runs poll --runs poll a.events b.events -o twice.json
grep -qF '"(poll)+"' twice.json || fail "a letter named twice"
# Words that begin inside a machine are not in its language, which is reported.
entry=$softgpu/../../tests/viz/golden/entry.json
runs 0 'words of the old machine that do not begin at its start are not compared: [0-9]* of 3' \
	"$entry" "$entry"
# Nothing explains the difference. Sequences that words contain are marked as seen.
word d open work close
word e open close close
runs 1 '' --k 5 d.events e.events
says '  work (from 1 state, seen once)' '  close close (from 1 state, seen once)' \
	'The machines differ.' '  letter 1 of d: open | work' '  letter 1 of e: open | close' \
	'The new machine accepts 0 of 1 old words, the old machine 0 of 1 new words.'
grep -q 'the same' stdout && fail "explained what it is not"

# Several traces per version; one k for both versions, chosen if none is given.
runs 0 '' --k 5 a.events b.events --old b.events --new a.events
says 'old: a.events, b.events (k 5, 2 words)' \
	'words                2         2         2         0         0'
runs 1 'ktail: .*k = ' a.events b.events --old d.events
runs 1 '' --k 2 --machine pta a.events d.events
says '(pta, k 2, 1 word)'

# If one input is a machine, the machine of a trace gets the same kind and k.
"$ktail" --k 3 --machine pta a.events -o tree.json
runs 0 '' tree.json a.events
says 'new: a.events (pta, k 3, 1 word)'
runs 0 'the old machine is of kind pta, the new one of kind chains' --machine chains tree.json a.events
"$ktail" --k 3 a.events -o a.json
runs 0 '' a.json a.events
says 'new: a.events (k 3, 1 word)'
runs 1 'k is 3 in the old machine, 1 in the new one' a.json d.events --k 1
runs 0 '' --runs poll a.json a.json
runs 1 'different alphabets\|of kind chains, the new one of kind truth' a.json "$truth"
runs 0 '' --k 3 - a.events < a.events

# Letters of API calls in one machine alone are warned of.
word calls cuInit open work
word requests open work
said='only the words of the new machine have letters of API calls (such as cuInit): those of the old machine may have been made with another --alphabet, or recorded with another --api$'
runs 1 "$said" --k 1 requests.events calls.events
runs 0 '' --k 1 calls.events calls.events
grep -q 'API calls' stderr && fail "calls in both: $(cat stderr)"

# Letters of one machine alone come before all other differences.
word other close open work work
runs 1 '' --k 1 requests.events other.events
says 'Letters of the new machine alone: close.'
[ "$(grep -n '^Letters of' stdout | cut -d : -f 1)" -lt "$(grep -n '^states' stdout | cut -d : -f 1)" ] || fail "not first: $(cat stdout)"
grep -q 'Letters of the old' stdout && fail "letters that both have: $(cat stdout)"

# --words limits the number of listed words that only one machine accepts.
runs 1 '' --k 5 a.events b.events --words 0
grep -q ' | [^w]' stdout && fail "--words 0 shows some"
says 'and 1 more'

# Letters that diverge at the same two states are reported together, as one word.
word f open work
word g open rest
word h open close
"$ktail" --k 5 f.events g.events -o fg.json
"$ktail" --k 5 h.events -o h.json
runs 1 '' fg.json h.json
says 'goes on, after words that both read: 2 transitions' '2 letters: open | rest, work' '2 letters: open | close'
runs 1 '' fg.json h.json --words 1
grep -q ' more ' stdout && fail "one word shows both letters, but more is reported"

# With traces, only the transitions that words take are shown, each with the number of its words.
word m s x a b a c
word n s x a b b
word o s x a b b
runs 1 '' --k 1 m.events n.events --new o.events
says 'goes on, after words that both read: 2 transitions; 1 is taken by no word:' \
	'  letter 4 of m: s x a b | a' '  letter 4 of n (and 1 other word): s x a b | b' \
	'The new machine accepts 0 of 1 old words, the old machine 0 of 2 new words.'
grep -q '| c' stdout && fail "a transition that no word takes is shown"
runs 1 'see seen.json' --k 1 m.events n.events --new o.events -o seen.json
jq -e '.seen | .sequences == [1, 1, 2] and .old == {words: 1, accepted: 0} and
	.diverging[1] == {side: "new", from: 3, letter: "b", words: 2, word: "n", at: 4}' seen.json >/dev/null ||
	fail "seen.json: $(jq -c .seen seen.json)"

# A machine that accepts nothing new may still have new transitions.
word p o a x y
word q o b x z
"$ktail" --k 1 p.events q.events -o merged.json
"$ktail" --k 9 p.events q.events -o apart.json
runs 1 'k is 1 in the old machine, 9 in the new one' merged.json apart.json
says 'The new machine accepts nothing that the old one does not.' 'transitions          6         7         4         3         2' \
	'Added and removed transitions are those of the drawing: machines with'
runs 1 '' "$softgpu/truth-version-1.json" "$truth"
grep -q 'those of the drawing' stdout && fail "a note on transitions that need none"

# If the machines of different words are equal, the smallest k with different machines is reported.
word short o a b a b a b c
word long o a b a b a b a b a b c
least=1
while "$ktail" diff --k $least short.events long.events > /dev/null; do least=$((least + 1)); done
for k in 0 $((least - 1)); do
	runs 0 '' --k $k short.events long.events
	says "The words differ, though: with --k $least the machines differ."
done

# Very many words: the copies of a repeated word that both versions have are common.
examples() { # NAME PAIRS SINGLES
	{ echo "$(($2 + $3)) 2"; yes '1 2 a b' | head -n "$2"; yes '1 1 a' | head -n "$3"; } > "$1"
}
examples old.dat 8000 4000
examples new.dat 6000 6000
runs 0 '' --k 2 old.dat new.dat
says 'words            12000     12000     10000      2000      2000'

# Large machines must be compared fast: a chain of 100,000 states, each with a letter that only one
# machine has; a state with 100,000 letters; 100,000 states, each with a new letter.
# machine FILE STATES: writes a machine of the transitions "FROM LETTER TO" on standard input
machine() {
	awk -v n="$2" '{ seen[$2]; line[NR] = sprintf("{\"from\": %d, \"letter\": \"%s\", \"to\": %d, \"count\": 0}", $1, $2, $3) }
		END {
			print "{\"format\": \"ktail-fsm/1\", \"k\": null, \"machine\": \"imported\", \"word\": \"unknown\","
			print "\"alphabet\": null, \"words\": [], \"start\": 0, \"letters\": ["
			for (letter in seen) print "\"" letter "\"" | "LC_ALL=C sort | paste -sd,"
			close("LC_ALL=C sort | paste -sd,")
			print "], \"states\": ["
			for (i = 0; i < n; i++) printf "{\"id\": %d, \"visits\": 0, \"ends\": 0}%s\n", i, i + 1 < n ? "," : ""
			print "], \"transitions\": ["
			for (i = 1; i <= NR; i++) print line[i] (i < NR ? "," : "")
			print "]}"
		}' > "$1"
}
for side in old new; do
	x=$([ $side = old ] && echo x || echo y)
	awk -v x="$x" 'BEGIN { for (i = 0; i < 100000; i++) { if (i < 99999) print i, "a", i + 1; print i, x, i } }' |
		machine comb-$side.json 100000
	awk -v x="$x" 'BEGIN { for (i = 1; i <= 100000; i++) printf "0 %s%06d %d\n", i % 2 ? x : "l", i, i
		for (i = 1; i <= 100000; i++) print i, "z", 0 }' | LC_ALL=C sort -k1,1n -k2,2 |
		machine star-$side.json 100001
	awk -v x="$x" 'BEGIN { for (i = 0; i < 100000; i++) { printf "%d l%06d %d\n", i, i, i + 1; printf "%d %s%06d %d\n", i, x, i, i } }' |
		machine letters-$side.json 100001
done
for name in comb star letters; do
	timeout 60 "$ktail" diff $name-old.json $name-new.json > stdout 2> stderr
	[ $? = 1 ] || { fail "$name"; cat stderr; }
done
rm -f comb-*.json star-*.json letters-*.json

# Usage and inputs
runs 2 'expected an old and a new machine or trace, not 1' a.json
runs 2 'expected an old and a new machine or trace, not 3' a.json a.json a.json
runs 2 '--k applies to traces, but both sides are machines' --k 5 a.json a.json
runs 2 'both sides are machines' --k auto a.json a.json
runs 2 'it is given twice, but can be read only once' --k 1 - - < a.events
runs 2 'read none.json: No such file' none.json a.json
runs 2 'read a.json: it is a machine, but the old side must be one machine or only traces' a.json a.json --old d.events
runs 2 'write x.tsv: this version writes .txt, .json, .dot' a.json a.json -o x.tsv
runs 2 'unknown option --nonsense' --nonsense
echo '{}' > empty.json
runs 3 'read empty.json: ' empty.json a.json -o none.txt
[ -e none.txt ] && fail "a file was left behind"
for arguments in 'diff --help' 'help diff'; do
	"$ktail" $arguments > stdout || fail "$arguments"
	says 'usage: ktail diff'
done
"$ktail" diff a.json a.json > /dev/full 2> stderr
[ $? = 2 ] || fail "a full disk goes unsaid"
[ "$failures" -eq 0 ]
