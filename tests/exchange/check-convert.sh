#!/bin/bash
# SPDX-License-Identifier: MIT
# Converts machines and words from and to the formats of other programs, on the command line.
#   check-convert.sh KTAIL FOLDER
ktail=$1 folder=$2
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

small=$folder/golden/small.json

# Round trips through each format of ktail
runs 0 '' convert "$small" -o a.gv -o a.graphml -o a.json -o a.tsv -o a.svg
for file in a.gv a.graphml a.json; do
	runs 0 '' convert $file -o back.json
	same back.json "$small"
done
runs 0 '' convert - -o back.json < "$small"
same back.json "$small"
same a.gv "$folder/golden/small.gv"
grep -q '<svg' a.svg || fail "no drawing"
runs 0 '' convert a.gv
grep -q '^digraph ktail {$' stdout || fail "no DOT"

# Round trips of the truth and of differences
for machine in truth diff diff-truth; do
	from=$folder/../viz/golden/$machine.json
	runs 0 '' convert "$from" -o from.json -o from.gv -o from.graphml
	for file in from.gv from.graphml; do
		runs 0 '' convert $file -o back.json
		same back.json from.json
	done
done

# In .dot files of the dialect "ktail", names of letters are the labels; the letters are read from
# the attribute `letter`.
names=$folder/../viz/golden/names.json
runs 0 '' convert "$names" -o names.json -o names.gv -o names.graphml -o names.tsv
runs 0 '' convert -d ktail "$names" -o names.dot
for file in names.gv names.graphml names.dot; do
	runs 0 '' convert $file -o back.json
	same back.json names.json
done
grep -q 'label="NV_ESC_RM_CONTROL GPU_GET_ID_INFO_V2", letter="ioctl:0x2a/0x205"' names.dot ||
	fail "no name in the label"
grep -q 'label="R:sys", count' names.dot || fail "a letter that has no name"
grep -q 'label="ioctl:0x2a/0x205", count' names.gv || fail "no letter in the label of .gv"
grep -v '^.graph' names.gv names.tsv | grep -q NV_ESC && fail "names instead of letters"
sed '/^.graph/d' names.dot > other.dot
runs 0 '' convert other.dot -o other.json
grep -q '"letters".*"ioctl:0x2b/0xc8b5"' other.json || fail "letters of another's DOT"

runs 2 'a difference of two machines is not a DFA' convert --dialect learnlib from.json

# Dialects
for dialect in aalpy learnlib; do
	runs 0 '' convert -d $dialect "$small" -o $dialect.dot -o $dialect.gv
	same $dialect.dot "$folder/golden/small-$dialect.dot"
	same $dialect.gv $dialect.dot
	runs 0 '' convert --dialect $dialect "$small"
	same stdout $dialect.dot
	runs 0 '' convert $dialect.dot -o $dialect.json
done
same aalpy.json learnlib.json
runs 0 '' convert -o order.dot --dialect ktail "$small"
same order.dot a.gv

# ktail diff reads files in the formats of other programs.
runs 0 '' diff "$small" aalpy.dot
[ ! -s stderr ] || { cat stderr; failures=$((failures + 1)); }
runs 1 '' diff a.graphml "$folder/data/twins.gv"

# An imported machine can be drawn.
runs 0 '' convert aalpy.json -o drawn.svg

# Refusals
runs 2 '--dialect: a dialect must be ktail, aalpy or learnlib' convert -d dot "$small"
runs 2 'write x.json: this version writes .gv and .dot$' convert -d aalpy "$small" -o x.json
runs 2 'write x.html: this version writes' convert "$small" -o x.html
runs 2 'expected one machine, not 0' convert
runs 2 'expected one machine, not 2' convert "$small" "$small"
runs 2 'read nothing.gv: No such file' convert nothing.gv -o x.json
runs 2 'read gone: No such file' convert gone -o x.json
: > x.events
runs 3 'read x.events: it is a word (.events), not a state machine$' convert x.events -o x.json
runs 0 '' convert "$small" -o drawing.dot
runs 3 'read drawing.dot: it is a drawing' convert drawing.dot -o x.json
echo 'digraph { a -> b' > cut.gv
runs 3 'read cut.gv:2: expected .*, not the end' convert cut.gv -o x.json
echo '<graphml/>' > none.graphml
runs 3 'read none.graphml: its graph has no data' convert none.graphml -o x.json
[ ! -e x.json ] || fail "x.json is there"

# Words in .events files and as examples of an Abbadingo file give the same machine, except for the
# words' names.
printf 'R:sys\nW:reg\nR:sys\nW:reg\n' > a.events
printf 'R:sys\nW:fb\n' > b.events
runs 0 '' words a.events b.events -o ab.dat
printf '2 3\n1 4 R_3asys W_3areg R_3asys W_3areg\n1 2 R_3asys W_3afb\n' > expected.dat
same ab.dat expected.dat
runs 0 '' --k 1 ab.dat -o ab.tsv -o ab.json
runs 0 '' --k 1 a.events b.events -o events.tsv
same ab.tsv events.tsv
grep -q '"name": "ab.1", "events": 2' ab.json || fail "names"
runs 0 '' words ab.dat -o ab
same <(grep -v '^#' ab/ab.0.events) a.events
printf '3 2:f/x\n1 1 a:1.0\n0 1 b\n-1 1 a\n' > others.dat
runs 0 'warning: read others.dat: skipped 2 of 3 examples, negative or without a label' --k 1 others.dat -o o.json
runs 0 'warning: read others.dat: skipped attributes or data; symbols with them: 1' --k 1 others.dat -o o.json
printf '1 1\n0 1 b\n' > negative.dat
runs 3 '^ktail: read negative.dat: no words' --k 1 negative.dat -o x.json
printf '2 1\n1 1 b\n' > cut.dat
runs 3 'read cut.dat: it has 1 example, but declares 2' --k 1 cut.dat -o x.json
runs 2 'write words to nowhere/x.dat\|write nowhere/x.dat' words a.events -o nowhere/x.dat
[ ! -e x.json ] || fail "x.json is there"
runs 0 '' check ab.json ab.dat

# Help
runs 0 '' convert --help
grep -q '^usage: ktail convert' stdout || fail "no usage"
runs 0 '' convert --version

[ $failures = 0 ]
