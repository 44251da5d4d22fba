#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail --kgrams and ktail merge: the machine of parts, in any order and grouping, is that of
# all words at once.
#   check-merge.sh KTAIL TRACES
# TRACES: the corpus's folder of traces
ktail=$1 traces=$2
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# Traces of an H200: one by one, then in three orders and groupings
set -- vadd-4k graphs-1 graphs-50 streams-polling copies-pinned
for k in 0 3 20; do
	all=()
	for name in "$@"; do
		all+=("$traces/$name")
		runs 0 - --k $k "$traces/$name" --kgrams "$name.kgrams" -o "$name.json"
	done
	runs 0 - --k $k "${all[@]}" -o all.json -o all.tsv -o all.kgrams
	runs 0 - merge vadd-4k.kgrams graphs-1.kgrams graphs-50.kgrams streams-polling.kgrams copies-pinned.kgrams \
		-o flat.json -o flat.kgrams
	runs 0 - merge copies-pinned.kgrams graphs-50.kgrams -o a.kgrams
	runs 0 - merge streams-polling.kgrams vadd-4k.kgrams -o b.kgrams
	runs 0 - merge b.kgrams graphs-1.kgrams a.kgrams -o tree.tsv -o tree.json -o tree.kgrams
	cp graphs-1.kgrams grown.kgrams
	for name in vadd-4k copies-pinned streams-polling; do
		runs 0 - merge --update grown.kgrams "$traces/$name"
	done
	runs 0 - merge -u grown.kgrams graphs-50.kgrams -o grown.json
	for file in flat tree grown; do
		same all.json $file.json
		same all.kgrams $file.kgrams
	done
	same all.tsv tree.tsv
	runs 0 - merge vadd-4k.kgrams -o one.json
	same vadd-4k.json one.json
done
runs 0 - merge --k 3 all.kgrams -o smaller.json
runs 0 - --k 3 "${all[@]}" -o all.json
same all.json smaller.json
runs 2 '^ktail: infer machine: k is 21, but the statistics are those of k = 20$' merge --k 21 all.kgrams -o result.json
leaves_nothing

# Words without an alphabet, truncated words, other units
printf 'a\nb\na\nb\n' > word.events
printf '#ktail cut-begin\na\n' > cut.events
printf 'a\nb\n' > other.events
: > empty.events
runs 0 '^ktail: warning: 1 of 4 words is truncated' --k 1 word.events cut.events other.events empty.events -o all.json
runs 0 - --k 1 --kgrams word.kgrams word.events empty.events -o word.json
runs 0 '^ktail: warning: 1 of 2 words is truncated' merge word.kgrams cut.events other.events -o merged.json
same all.json merged.json
runs 4 '^ktail: read cut.events and 1 more: 1 of 2 words is truncated' merge --strict word.kgrams cut.events other.events -o result.json
runs 0 - --k 1 --kgrams thread.kgrams --word thread "$traces/vadd-4k" -o thread.json
runs 0 - --k 1 --word thread "$traces/vadd-4k" "$traces/graphs-1" -o all.json
runs 0 - merge thread.kgrams "$traces/graphs-1" -o merged.json
same all.json merged.json
runs 0 - --k 1 "$traces/vadd-4k" word.events -o all.json
runs 0 - --k 1 word.events -o word.kgrams
runs 0 - merge word.kgrams "$traces/vadd-4k" -o merged.json
same all.json merged.json
[ "$(ls ./*.kgrams | wc -l)" -gt 5 ] || fail "no .kgrams"

# The machine is written to standard output unless -o or --update is given.
runs 0 - merge word.kgrams
grep -q '^digraph' stdout || fail "no DOT"
runs 0 - --k 1 word.events --kgrams also.kgrams
grep -q '^digraph' stdout || fail "no DOT beside --kgrams"
same word.kgrams also.kgrams
runs 0 - --k 1 word.events -o also.kgrams
[ ! -s stdout ] || fail "DOT beside -o"
runs 0 - merge word.kgrams -o also.kgrams
[ ! -s stdout ] || fail "DOT beside -o of merge"
runs 0 - merge --update also.kgrams other.events
[ ! -s stdout ] || fail "DOT beside --update"

# A repeated word counts twice.
runs 0 'merge statistics: equal words in several parts, by name and hash, count again: 1 of 2 words' merge word.kgrams word.kgrams -o twice.json
runs 0 - --k 1 word.events word.events -o two.json
same twice.json two.json

# Incompatible or missing inputs
runs 0 - --k 2 word.events -o two.kgrams
cp word.kgrams before
runs 2 '^ktail: merge two.kgrams: its k is 2, that of word.kgrams 1$' merge word.kgrams two.kgrams -o result.json
runs 2 '^ktail: merge thread.kgrams: its words are of unit thread, those of word.kgrams of unit process$' \
	merge word.kgrams thread.kgrams -o result.json
runs 2 '^ktail: merge the traces: its words are of unit thread' merge --word thread word.kgrams other.events -o result.json
runs 0 - --k 1 --alphabet rm "$traces/vadd-4k" -o rm.kgrams
runs 2 '^ktail: merge statistics: their alphabets differ$' merge rm.kgrams "$traces/graphs-1" -o result.json
runs 2 '^ktail: merge word.events: no .kgrams file is given' merge word.events -o result.json
runs 2 '^ktail: no statistics given' merge
runs 2 '^ktail: read nothing.kgrams: No such file' merge nothing.kgrams
runs 3 'read word.kgrams: it is statistics of words, which ktail merge reads' --k 1 word.kgrams
runs 2 '^ktail: update nothing.kgrams: No such file or directory; ktail --k N --kgrams' merge --update nothing.kgrams word.events
runs 2 '^ktail: write x.json: this version writes .kgrams$' merge --update x.json word.events
runs 2 '^ktail: write x.txt: this version writes .kgrams$' --k 1 --kgrams x.txt word.events
runs 2 'count windows: only the machine of chains can be inferred from windows' --k 1 --machine pta word.events \
	--kgrams result.kgrams
runs 2 '^ktail: --update is given twice' merge -u word.kgrams -u word.kgrams word.events
head -c 300 word.kgrams > cut.kgrams
runs 3 '^ktail: read cut.kgrams: line [0-9]*: ' merge word.kgrams cut.kgrams -o result.json
sed 's/"events": 4/"events": 5/' word.kgrams > wrong.kgrams
runs 3 '^ktail: read wrong.kgrams: the "counts" of "windows" add up to 2, less than the 3 windows' merge word.kgrams wrong.kgrams -o result.json
leaves_nothing

# A failed update leaves the file unchanged, even if only the machine cannot be written.
runs 2 'write nowhere/result.json: No such file' merge --update word.kgrams other.events -o nowhere/result.json
runs 3 'read cut.kgrams' merge --update word.kgrams cut.kgrams -o result.json
ln -s /dev/full full.json
runs 2 'No space left on device' merge --update word.kgrams other.events -o full.json
same word.kgrams before
leaves_nothing

# None of several concurrent updates is lost.
for i in 1 2 3 4 5 6 7 8; do
	cp other.events "other$i.events"
	"$ktail" merge --update word.kgrams "other$i.events" &
done
wait
runs 0 - --k 1 word.events other[1-8].events -o all.kgrams
same all.kgrams word.kgrams

[ $failures = 0 ]
