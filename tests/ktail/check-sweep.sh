#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail sweep and --k auto: what they write, report and refuse.
#   check-sweep.sh KTAIL DATA
ktail=$1 data=$2
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# word NAME LETTERS: a word with one letter per character
word() {
	printf '%s' "$2" | sed 's/./&\n/g' > "$1.events"
}

word loop iwdpwdpwdpwdpwdpwdpx
word short iwdpwdpx
word chain abcdefghij
word one aaaaaaaaaa
word noise bbcdaadcbbdddbbbdaabacacdddddbcaabdbcdcddcdbcacbcabccaaddacadbacddaaadccbacaaaab
: > empty.events

# The table, byte for byte
runs 0 '^ktail: k = 1: the smallest machine on a plateau (nearly the same for k = 1 to 4: 5 states, 5 transitions, 1 complex state)' \
	sweep --k 0-4 loop.events short.events
cat > expected << 'TSV'
k	states	transitions	complex	components	shortest_cycle	cycle_states	self_loops	cycles	mixed
0	1	5	1	0	0	0	1.0000	0.0000	0.7143
1	5	5	1	1	3	3	0.0000	0.8571	0.0000
TSV
head -3 stdout | cmp - expected || { fail "table"; cat stdout; }
[ "$(wc -l < stdout)" = 6 ] || fail "rows"
runs 0 '^ktail: k = 1: ' sweep --k=0-4 loop.events short.events -o a.tsv -o a.json -o a.txt -o -
[ "$(awk '$1 ~ /^[0-9]/ { print $1 }' a.txt | tr '\n' ' ')" = '0 1 ' ] &&
	grep -q '^A k that is left out has the row of the k before it\.$' a.txt ||
	fail "text of k that repeat: $(cat a.txt)"
cmp stdout a.tsv || fail "a.tsv"

# The range is a single k, a given range, or, by default, up to the longest word or 100.
runs 0 '' sweep --k 3 loop.events
[ "$(cut -f1 stdout | tr '\n' ' ')" = 'k 3 ' ] || fail "one k"
runs 0 '' sweep loop.events
[ "$(sed -n '2p;$p' stdout | cut -f1 | tr '\n' ' ')" = '1 20 ' ] || fail "to the longest word"
runs 0 '' sweep empty.events
[ "$(cut -f1 stdout | tr '\n' ' ')" = 'k 1 ' ] || fail "empty words"
seq 300 > many.events
runs 0 '' sweep many.events
[ "$(tail -1 stdout | cut -f1)" = 100 ] || fail "to 100"
runs 0 '' sweep --k 150-160 many.events
[ "$(sed -n '2p;$p' stdout | cut -f1 | tr '\n' ' ')" = '150 160 ' ] || fail "150-160"

# --k auto, the default, chooses the k that sweep reports; the machine records its k.
runs 0 '^ktail: k = 1: the smallest machine on a plateau' --k auto loop.events short.events -o auto.json
grep -q '"k": 1,' auto.json || fail "k of the machine"
runs 0 '^ktail: k = 1: ' loop.events short.events -o default.json
cmp auto.json default.json || fail "default"
runs 0 '' --k 1 loop.events short.events -o given.json
cmp auto.json given.json || fail "the machine of that k"
[ ! -s stderr ] || fail "--k 1 says something"
runs 0 '' short.events loop.events -o reordered.json
cmp auto.json reordered.json || fail "the order of the words"
runs 0 '' sweep short.events loop.events --k 0-4 -o b.json
cmp a.json b.json || fail "the order of the words in a sweep"

# No convincing k
for name in chain one empty; do
	runs 0 '^ktail: warning: k = 1: no k from 1 to [0-9]* is convincing: in none does repeated work show' $name.events
done
runs 0 '^ktail: warning: k = [0-9]*: no k from 1 to 80 is convincing' noise.events
runs 0 'the largest, as more than half of the letters lose their order on self-loops everywhere' sweep --k 0 noise.events

# JSON, byte for byte
runs 0 '' sweep --k 0-7 loop.events short.events chain.events -o c.json
cmp c.json "$data/sweep.json" || fail "JSON"

# A sweep of the prefix tree has the sizes of the machines that --machine pta gives.
runs 0 '' sweep --machine pta --k 0-5 loop.events short.events noise.events -o pta.tsv -o pta.json
grep -q '"machine": "pta"' pta.json || fail "pta.json"
for k in 0 2 5; do
	runs 0 '' --machine pta --k $k loop.events short.events noise.events -o m.tsv
	[ "$(sed -n "s/^$k\t[0-9]*\t\([0-9]*\)\t.*/\1/p" pta.tsv)" = "$(tail -n +2 m.tsv | wc -l)" ] ||
		fail "pta, k = $k"
done
runs 0 '' --machine pta loop.events short.events -o pta-auto.json
grep -q '"machine": "pta"' pta-auto.json || fail "pta-auto.json"

# The plot
runs 0 '' sweep loop.events short.events chain.events -o plot.svg -o plot.png -o plot.pdf
grep -q '^<svg\|<svg ' plot.svg || fail "plot.svg"
[ "$(head -c 8 plot.png | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "plot.png"
[ "$(head -c 5 plot.pdf)" = %PDF- ] || fail "plot.pdf"

# In a difference of traces, both versions get the k that is chosen for all their words together.
runs 0 '^ktail: k = 1: the smallest machine on a plateau (nearly the same for k = 1 to 15: 5 states' diff loop.events short.events
cp stderr together
runs 0 '^ktail: k = 1: ' diff --k auto short.events loop.events
cmp stderr together || fail "diff: its sides changed"
runs 0 '' diff auto.json loop.events
[ ! -s stderr ] || fail "diff: the machine has a k"
runs 0 '^ktail: k = 1: ' diff --k auto auto.json loop.events

# --leave-one-out has a row for each word that is left out, by name.
printf '#ktail lost 3\n#ktail cut-begin\np\nw\nd\np\nw\n#ktail cut-end\n' > cut.events
runs 0 '' sweep --leave-one-out short.events cut.events loop.events
printf 'without\tevents\tk\tto\tstates\ttransitions\tcomplex\tconvincing\n' > expected
head -1 stdout | cmp - expected || fail "leave-one-out: its head"
[ "$(cut -f1 stdout | tr '\n' ' ')" = 'without - cut loop short ' ] || fail "leave-one-out: its words"
runs 0 '' sweep -l loop.events short.events cut.events -o left-out.tsv
"$ktail" sweep -l cut.events short.events loop.events 2> /dev/null | cmp - left-out.tsv || fail "leave-one-out: the order"
# A name that consists of digits is a string in JSON.
cp loop.events 1.events && cp short.events 2.events
runs 0 '' sweep -l 1.events 2.events -f json
grep -q '"without": *"1"' stdout && grep -q '"events": *[0-9]' stdout || fail "leave-one-out: JSON: $(cat stdout)"
for name in - loop short cut; do
	others=$(printf '%s\n' cut.events loop.events short.events | grep -v "^$name")
	runs 0 '' sweep $others --k 1-20 -o rest.tsv
	k=$(sed -n 's/^ktail: \(warning: \)\?k = \([0-9]*\):.*/\2/p' stderr)
	[ "$(grep "^$name" left-out.tsv | cut -f3,5-7)" = "$(grep "^$k	" rest.tsv | cut -f1-4)" ] ||
		fail "without $name"
done
runs 0 '' sweep -l loop.events
printf 'loop\t20\t\t\t\t\t\t\n' | cmp - <(tail -1 stdout) || fail "without the only word"
runs 2 '^ktail: write result.svg: this version writes .tsv, .csv, .json and .txt$' sweep -l loop.events -o result.svg
runs 0 '' sweep -l loop.events -f json
grep -q '"without":"loop","events":[0-9]*,"k":' stdout || fail "-l as JSON: $(cat stdout)"

# Groups: the rows of each group are those of a sweep of its traces alone.
mkdir two && cp loop.events short.events two
runs 0 '^ktail: the pair: k = 1: ' sweep -g 'the pair=two' --group=c=chain.events -g d=one.events \
	--group d=chain.events -o g.tsv -o g.csv -o g.json -o g.txt -o g.svg
grep -q '^ktail: warning: c: k = 1: ' stderr || fail "the choice of a group: $(cat stderr)"
head -1 g.tsv | grep -q '^group	k	states' || fail "the column group"
for group in 'the pair:two' c:chain.events 'd:one.events chain.events'; do
	runs 0 '' sweep ${group#*:} -o rest.tsv
	sed "s/^/${group%%:*}	/; 1s/.*/$(head -1 g.tsv)/" rest.tsv > expected
	grep "^group\|^${group%%:*}	" g.tsv | cmp - expected || fail "the rows of ${group%%:*}"
done
tr '\t' , < g.tsv | cmp - g.csv || fail "groups as CSV"
tail -1 g.txt | grep -q '^Without --k, ktail chooses k = 1 for the pair, 1 for c, 2 for d\.$' ||
	fail "groups as text: $(tail -1 g.txt)"
[ "$(grep -o '"group": "[^"]*"' g.json | tr '\n' ' ')" = '"group": "the pair" "group": "c" "group": "d" ' ] ||
	fail "groups as JSON"
grep -q '"format": "ktail-sweeps/1"' g.json || fail "the format of groups"
grep -q '>the pair: k = 1<' g.svg || fail "the mark of a group"
runs 0 '' sweep -g a=two -g b=chain.events --k 0-2 --cross-validate --folds 2 -g b=one.events
[ "$(cut -f1,2,12 stdout | tr '\n\t' ' :')" = \
	'group:k:held_out a:0:2 a:1:2 a:2:2 b:0:2 b:1:2 b:2:2 ' ] ||
	fail "cross-validation of groups: $(cat stdout)"
runs 0 '^ktail: warning: b: --runs w has no effect: no word has this letter$' \
	sweep --runs w -g a=two -g b=chain.events
grep -q 'warning: a: --runs' stderr && fail "a letter that the group has"
runs 0 '^ktail: warning: --runs v has no effect: no word has this letter$' sweep --runs v loop.events
runs 0 '' sweep -l -g a=two -g b=chain.events
[ "$(cut -f1,2 stdout | tr '\n\t' ' :')" = 'group:without a:- a:loop a:short b:- b:chain ' ] ||
	fail "leave-one-out of groups: $(cat stdout)"
runs 2 '^ktail: with --group, each trace needs a group: --group NAME=one.events$' \
	sweep -g a=two one.events
for value in two =two a= ''; do
	runs 2 "^ktail: --group must be NAME=TRACE, not '$value'\$" sweep --group "$value"
done
runs 2 "a name must be printable text of at most 120 bytes$" sweep --group "$(printf 'a\nb')=two"
runs 2 "a name must be printable text of at most 120 bytes$" sweep --group "$(printf %0121d 1)=two"
runs 2 '^ktail: read standard input: it is given twice' sweep --group a=- --group b=-
runs 2 '^ktail: group b: read nothing.events: No such file' sweep -g a=two -g b=nothing.events

# Usage
runs 2 '^ktail: no trace given; see ktail sweep --help$' sweep
for k in x 5-3 1- -1 1-x 99999999999999999999-1 00000000000000000000000000000000000000000-1; do
	runs 2 '^ktail: --k must be' sweep "--k=$k" loop.events
done
runs 2 'more than 1000000 values' sweep --k 0-1000000 loop.events
runs 2 '^ktail: --machine must be' sweep --machine tree loop.events
runs 2 '^ktail: write result.dot: this version writes .tsv, .csv, .txt, .json, .svg, .png and .pdf$' sweep loop.events -o result.dot
runs 2 '^ktail: read nothing.events: No such file' sweep nothing.events -o result.tsv
runs 2 'write folder/result.tsv: No such file' sweep loop.events -o result.json -o folder/result.tsv
if compgen -G 'result*' > /dev/null || compgen -G '.ktail-*' > /dev/null; then
	fail "left behind: $(ls -A)"
fi

[ $failures = 0 ]
