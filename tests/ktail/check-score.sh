#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests ktail score: what it prints and writes, from machines and from traces, and what it refuses.
# Usage: check-score.sh KTAIL SOURCE
set -u
ktail=$1
softgpu=$2/corpus/softgpu
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# has FILE LINE...: checks that the file has each line, with several blanks counted as one
has() {
	file=$1
	shift
	for line; do
		tr -s ' ' <"$file" | grep -qxF -e "$line" || {
			fail "$file has no line '$line':"
			cat "$file"
		}
	done
}

# refuses STATUS PATTERN ARGUMENT...
refuses() {
	want=$1
	pattern=$2
	shift 2
	"$ktail" score "$@" >stdout 2>stderr
	got=$?
	if [ "$got" != "$want" ] || ! grep -q -e "$pattern" stderr || [ -s stdout ]; then
		fail "score $*: status $got, not $want, or not '$pattern':"
		cat stderr
	fi
}

# column FILE NAME: prints the column's value in the first row
column() {
	awk -F '\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 2 { print at[name] ? $at[name] : "no such column" }' "$1"
}

is() {
	[ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"
}

# A truth scored against itself is right in everything.
"$ktail" score "$softgpu/truth.json" "$softgpu/truth.json" >same.txt 2>stderr ||
	fail "same: status $?"
[ ! -s stderr ] || fail "same: it says $(cat stderr)"
has same.txt 'same language: yes' 'F1 1.0000 1.0000' \
	'precision 1.0000 0.9996-1.0000 1.0000 1.0000 1.0000' 'exactness 1.0000 1.0000'
! grep -q '^transitions of the .* that' same.txt || fail "same: a transition is missing"

# The truths of two versions of a driver, which diverge at one transition
"$ktail" score "$softgpu/truth-version-1.json" "$softgpu/truth.json" -o versions.txt \
	-o versions.json -o versions.tsv -o - >versions-too.txt || fail "versions: status $?"
cmp versions.txt versions-too.txt || fail "versions: standard output has another text"
has versions.txt 'same language: no' 'all words of the machine are words of the truth: no' \
	'all words of the truth are words of the machine: yes' \
	'transitions of the truth taken 273 273 1.0000' \
	'transitions of the machine taken 273 282 0.9681'
has versions.txt 'transitions of the machine that the truth never has:'
grep -A 2 '^ *160  W:sys -> 167: 145 letters, \.\.\. ' versions.txt | tr -s ' \n' ' ' |
	grep -q 'R:sys; W:reg; W:sys' ||
	fail "versions: not the word that version 1 alone has"
# A transition of the truth that the machine has after only some words is not listed as one that the
# machine never has.
printf 'x\na\nc\n' >xac.events
printf 'y\na\nc\n' >yac.events
printf 'y\na\n' >ya.events
"$ktail" --k 1 xac.events yac.events -o partly.json
"$ktail" score --k 2 --walks 10 xac.events ya.events partly.json >partly.txt || fail "partly: status $?"
has partly.txt 'transitions of the truth taken 4 4 1.0000 (1 not always)' \
	'transitions of the truth that the machine does not have after some words:' \
	' 2 c -> 3: 3 letters, y; a; c'
! grep -q 'never has' partly.txt || fail "partly: the machine never has a transition"
# Letters are shown by their names.
printf 'ioctl:0x2b\nioctl:0x29\n' >alloc.events
printf 'ioctl:0x2b\n' >alone.events
"$ktail" score --k 1 alloc.events alone.events >names.txt || fail "names: status $?"
grep -q 'NV_ESC_RM_FREE' names.txt || fail "names: no name"
"$ktail" score --names off --k 1 alloc.events alone.events >names.txt || fail "names off: status $?"
grep -q 'ioctl:0x29' names.txt || fail "names off: no letter"
is 'recall' "$(column versions.tsv recall)" 1.000000
is 'truth_in_machine' "$(column versions.tsv truth_in_machine)" yes
is 'machine_in_truth' "$(column versions.tsv machine_in_truth)" no
is 'machine_covered' "$(column versions.tsv machine_covered)" 273
is 'k of a truth' "$(column versions.tsv k)" ''
is 'rows' "$(wc -l <versions.tsv)" 2
grep -q '"format": "ktail-score/1"' versions.json || fail "versions.json has no format"
grep -q '"missed": \[\]' versions.json || fail "versions.json: something is missed"
is 'untrue transitions' "$(grep -c '"why": ' versions.json)" 9
# Output is reproducible; another seed gives another sample of the same words.
"$ktail" score "$softgpu/truth-version-1.json" "$softgpu/truth.json" -o again.json
cmp versions.json again.json || fail "the same command writes something else"
"$ktail" score --seed 2 "$softgpu/truth-version-1.json" "$softgpu/truth.json" -o seed.tsv
is 'precision_expected' "$(column seed.tsv precision_expected)" \
	"$(column versions.tsv precision_expected)"
[ "$(column seed.tsv precision)" != "$(column versions.tsv precision)" ] ||
	fail "another seed gives the same walks"

# The truth is (ab)*, and the machine for k = 0 accepts any word of a and b.
printf 'a\nb\na\nb\na\nb\n' >truth.events
printf 'b\na\n' >more.events
"$ktail" --k 1 truth.events -o truth.json
"$ktail" score --k 0 --walks 1000 --length 4 truth.events truth.json -o hand.tsv || fail "hand: status $?"
is 'k' "$(column hand.tsv k)" 0
is 'precision_expected' "$(column hand.tsv precision_expected)" 0.062500
is 'precision_letters_expected' "$(column hand.tsv precision_letters_expected)" 0.234375
is 'recall' "$(column hand.tsv recall)" 1.000000
is 'exactness' "$(column hand.tsv exactness)" 0.000000
# Walks are weighted by counts: in the words of the first command, a and b are equally frequent; in
# those of the second, a is twice as frequent.
"$ktail" score --k 0 --by counts --length 1 truth.events more.events truth.json -o counts.tsv
is 'precision_expected by counts' "$(column counts.tsv precision_expected)" 0.500000
printf 'a\n' >third.events
"$ktail" score --k 0 --by counts --length 1 third.events more.events truth.json -o counts.tsv
is 'precision_expected by counts' "$(column counts.tsv precision_expected)" 0.666667
"$ktail" score --walks 0 truth.json truth.json -o none.tsv || fail "no walks: status $?"
is 'precision without walks' "$(column none.tsv precision)" 1.000000
is 'precision_low without walks' "$(column none.tsv precision_low)" 0.000000
# Traces may be given as the truth.
"$ktail" score --k 1 truth.json truth.events >both.txt || fail "traces as truth: status $?"
has both.txt 'same language: yes'

# Without --k, score chooses k; --machine pta is accepted.
"$ktail" score truth.events truth.json -o auto.tsv 2>stderr || fail "auto: status $?"
grep -q '^ktail: .*k = ' stderr || fail "auto: no reason: $(cat stderr)"
is 'k of auto' "$(column auto.tsv k)" "$(sed -n 's/^ktail: .*k = \([0-9]*\).*/\1/p' stderr | head -n 1)"
printf 'a\nc\n' >c.events
printf 'b\nc\nd\n' >d.events
"$ktail" score --machine pta --k 1 c.events d.events truth.json -o pta.tsv || fail "pta: status $?"

# Machines of other programs, in their formats
"$ktail" --k 1 more.events -o auto.json
"$ktail" convert truth.json -o truth.graphml || fail "convert: status $?"
"$ktail" score truth.graphml truth.json >graphml.txt || fail "graphml: status $?"
has graphml.txt 'same language: yes'

# Warnings about machines that are hard to compare
"$ktail" --k 1 --word thread truth.events -o thread.json
"$ktail" score thread.json truth.json >/dev/null 2>stderr
grep -q '^ktail: warning: a word of thread.json is a thread, one of truth.json a process' stderr ||
	fail "units of words: $(cat stderr)"
"$ktail" score "$softgpu/truth.json" "$softgpu/truth-roles.json" >/dev/null 2>stderr
grep -q '^ktail: warning: the letters of .*truth.json and of .*truth-roles.json come from different alphabets' stderr ||
	fail "alphabets: $(cat stderr)"
"$ktail" score "$softgpu/truth-roles.json" "$softgpu/truth-roles.json" >roles.txt 2>stderr
has roles.txt 'same language: yes'
[ ! -s stderr ] || fail "roles: $(cat stderr)"

"$ktail" score --help | grep -q '^usage: ktail score' || fail "help"
"$ktail" help score | grep -q '^usage: ktail score' || fail "help score"
"$ktail" score --version | grep -q '^ktail [0-9]' || fail "version"
refuses 2 'MACHINE and TRUTH are needed' truth.json
refuses 2 'machine must be chains or pta' --machine x truth.events truth.json
refuses 2 'read truth.json: it is a machine, but MACHINE must be one machine or only traces' --k 1 truth.json truth.events truth.json
refuses 2 '--k applies to traces, but two machines are given' --k 3 truth.json truth.json
refuses 2 'No such file' nothing.json truth.json
refuses 2 'No such file' truth.json nothing.json
refuses 2 'by must be uniform or counts' --by chance truth.json truth.json
refuses 2 'walks must be a whole number' --walks x truth.json truth.json
refuses 2 'this version writes .txt, .json, .tsv and .csv' truth.json truth.json -o score.svg
"$ktail" diff truth.json auto.json -o diff.json
refuses 2 'read diff.json: it is the difference of two machines, but MACHINE must be' diff.json truth.json
refuses 2 'read diff.json: it is the difference of two machines, but TRUTH must be' truth.json diff.json
echo '{}' >bad.json
refuses 3 'read bad.json' bad.json truth.json
[ ! -e score.svg ] || fail "score.svg is left"

[ "$failures" = 0 ]
