#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks the options in --help of all programs: a letter has the same name in each, and a name the
# same letter. Checks that -f and -o mean the same in all.
#   check-options.sh KTAIL TRACE
ktail=$1
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

commands='infer sweep merge words check diff score convert annotate decode stats record softgpu raw render'

for command in $commands; do
	"$ktail" "$command" --help > help 2> stderr || fail "$command --help: $(cat stderr)"
	sed -n "s/^  \(-\(.\),\|   \) --\([a-z-]*\).*/\3 \2 $command/p" help
done > options
[ "$(wc -l < options)" -gt 100 ] || fail "few options: $(wc -l < options)"
for command in $commands; do
	grep -q "^help h $command$" options || fail "$command: no --help"
done

# Lines: NAME LETTER COMMAND, or NAME COMMAND without a letter.
awk 'NF == 3 && $2 in name && name[$2] != $1 {
		print "-" $2 ": --" name[$2] " (" of[$2] ") and --" $1 " (" $3 ")"
	}
	NF == 3 { name[$2] = $1; of[$2] = $3 }
	{ letter = NF == 3 ? $2 : "none" }
	$1 in letters && letters[$1] != letter {
		print "--" $1 ": letter " letters[$1] " and " letter " (" $NF ")"
	}
	{ letters[$1] = letter }' options > clashes
[ ! -s clashes ] || fail "$(cat clashes)"

# -f and -o mean the same in all programs that write files, and for standard output.
printf 'a\nb\na\nb\n' > w.events
runs 0 - --k 1 w.events -o m.json -o m.dot -o m.tsv
for command in '--k 1 w.events' 'sweep --k 1-2 w.events' 'check m.json w.events' \
	'diff m.json m.json' 'score m.json m.json' 'convert m.json' 'render m.json'; do
	runs 0 '' $command
	cp stdout bare
	for standard in - /dev/stdout /dev/fd/1; do
		runs 0 '' $command -o $standard
		cmp stdout bare || fail "$command -o $standard"
	done
	runs 2 '^ktail: --format must be .* not .nonsense.$' $command -f nonsense
	runs 2 '^ktail: write nowhere/x.svg: No such file or directory$' $command -o nowhere/x.svg -f "$(
		case $command in check* | diff* | score*) echo json ;; *) echo svg ;; esac)"
	[ "$(wc -l < stderr)" = 1 ] || fail "$command: more than one line: $(cat stderr)"
done
runs 0 - --k 1 w.events -f json
same stdout m.json
runs 0 - --k 1 w.events -f tsv -o x.json
same x.json m.tsv
runs 0 - --k 1 w.events -f tsv -o x.json -o -
same stdout m.tsv
same x.json m.json
runs 0 - --k 1 w.events -f txt
grep -q '^states  *[0-9]*, [0-9]* of them complex$' stdout || fail "summary: $(cat stdout)"
runs 0 - --k 1 w.events -f csv
tr ',' '\t' < stdout | cmp - m.tsv || fail "csv"
runs 0 - check m.json w.events -o x.txt
same stdout x.txt
runs 0 - check m.json w.events -f json
grep -q '"format": "ktail-check/1"' stdout || fail "check -f json"
runs 0 '' sweep --k 1-2 w.events -o x.txt -o x.csv -o x.tsv
tr ',' '\t' < x.csv | cmp - x.tsv || fail "sweep: csv"
grep -q '^k  *' x.txt || fail "sweep: txt"

for command in '--k 1 w.events -o x.kgrams' 'merge x.kgrams -o y.kgrams' 'merge --update x.kgrams w.events'; do
	runs 2 '^ktail: --format applies to the machine, but only statistics are written$' \
		$command -f json
	runs 0 '' $command
done

# Old option names still work, and a note reports the new name.
if [ -n "$2" ]; then
	runs 0 - decode --stats -f json "$2"
	cp stdout wanted
	for old in -j --json; do
		runs 0 "^ktail: note: $old is an old name of --format json and will be removed in the next version$" \
			decode --stats $old "$2"
		same stdout wanted
	done
	runs 0 - decode --stats "$2" -o x.json
	same x.json wanted
fi
runs 0 '^ktail: note: -T is an old name of -f' render -T svg m.json
# In sweep, -c once meant --cross-validate.
runs 2 'no trace given; see ktail sweep --help' sweep -c w.events

[ $failures = 0 ]
