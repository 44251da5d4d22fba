#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests effects of a terminal: the width of help, tables and reports, and colour. script(1) of
# util-linux creates the terminals.
#   check-terminal.sh KTAIL CORPUS
ktail=$1
. "${0%/*}/../cli.sh"

# A subcommand's help has the same words at each width, and no line is wider.
subcommands=$("$ktail" help --list-options | cut -f 1)
[ "$(wc -w <<< "$subcommands")" -ge 14 ] || fail "help --list-options: $subcommands"

# terminal COLUMNS COMMAND...: prints what the command writes to a terminal of this width
terminal() {
	local columns=$1
	shift
	TERM=xterm script -qec "stty cols $columns rows 24; $*" /dev/null < /dev/null | tr -d '\r'
}

# words FILE: the words of a help text, one per line
words() {
	tr -s ' \n' '\n\n' < "$1"
}

wider() {
	awk -v most="$1" 'length($0) > most' "$2"
}

"$ktail" --help > top
[ "$(wc -l < top)" -le 23 ] || fail "ktail --help: $(wc -l < top) lines, no screen"
[ -z "$(wider 80 top)" ] || fail "ktail --help: wider than 80: $(wider 80 top)"
"$ktail" help > all
[ "$(wc -l < all)" -gt "$(wc -l < top)" ] || fail "ktail help: no more than --help"
for subcommand in $subcommands; do
	grep -q "^.\{10\}$subcommand  " top || fail "ktail --help: no $subcommand"
	grep -q "^  ktail $subcommand " all || fail "ktail help: no $subcommand"
	"$ktail" "$subcommand" --help > help || fail "$subcommand --help: it failed"
	[ -z "$(wider 80 help)" ] || fail "$subcommand --help: wider than 80: $(wider 80 help)"
	for columns in 60 140; do
		terminal $columns "$ktail" "$subcommand" --help > narrow
		[ -z "$(wider $((columns < 100 ? columns : 100)) narrow)" ] ||
			fail "$subcommand --help: wider than $columns: $(wider $columns narrow)"
		[ "$(words narrow)" = "$(words help)" ] || fail "$subcommand --help: other words at $columns columns"
	done
done

# Standard output has colours on a terminal that supports them, or on request; files of -o never.
red=$(printf '\033[31m')
green=$(printf '\033[32m')
bold=$(printf '\033[1m')
plain=$(printf '\033[m')
printf 'a\nb\na\nb\n' > old.events
printf 'a\nc\na\nb\n' > new.events
"$ktail" --k 1 old.events -o old.json && "$ktail" --k 1 new.events -o new.json

# has PATTERN FILE
has() {
	grep -q -F -e "$1" "$2" || fail "no '$1' in $(cat -v "$2")"
}

# colourless FILE
colourless() {
	if grep -q -e "$(printf '\033')" "$1"; then
		fail "$1: $2 has colours: $(cat -v "$1")"
	fi
}

terminal 80 "$ktail" check old.json old.events new.events > check
has "${green}fits$plain" check
has "${red}does not fit: c$plain" check
has "${red}1 of 2 words does not fit$plain" check
terminal 80 "$ktail" diff old.json new.json > diff
has "${red}old$plain: old.json" diff
has "${green}new$plain: new.json" diff
has " $green c$plain (from" diff
for colours in NO_COLOR=1 TERM=dumb TERM=; do
	terminal 80 env $colours "$ktail" check old.json new.events > check
	colourless check "with $colours"
done
terminal 80 "$ktail" check --color=never old.json new.events > check
colourless check --color=never
terminal 80 env NO_COLOR= "$ktail" check old.json new.events > check
has "$red" check
"$ktail" check old.json new.events > check
colourless check "a file"
NO_COLOR=1 "$ktail" check --color always old.json new.events > check
has "${red}does not fit: c$plain" check
"$ktail" diff --color=always old.json new.json -o diff.txt
colourless diff.txt "-o"
"$ktail" diff --color=always old.json new.json -o - > diff
has "${bold}What only the old machine allows" diff
runs 2 "must be auto, always or never, not 'alway'; did you mean 'always'?$" check --color alway old.json new.events

# A sweep is a table on a terminal, else TSV; messages about k wrap between words.
terminal 60 "$ktail" sweep --k 1-2 old.events > sweep
has "${bold}k  states  transitions  complex" sweep
has '1       2            2        0             2  1.0000' sweep
has 'not shown for lack of space (-o FILE.tsv): ' sweep
[ -z "$(sed 's/\x1b\[[0-9]*m//g; /^not shown/d' sweep | awk 'length($0) > 60')" ] || fail "sweep: wider than 60: $(cat -v sweep)"
grep -q '^       [a-z]' sweep || fail "what is said about k hangs from nothing: $(cat sweep)"
"$ktail" sweep --k 1-2 old.events > sweep 2> said
[ "$(head -1 sweep | tr '\t' ' ')" = 'k states transitions complex components shortest_cycle cycle_states self_loops cycles mixed' ] ||
	fail "no TSV: $(head -1 sweep)"
[ "$(wc -l < said)" = 1 ] || fail "no single line: $(cat said)"

# Reports are as narrow as the terminal, but in files their lines are whole.
corpus=$2
mkdir -p paths
ln -s "$corpus" paths/corpus
cd paths || exit 1
"$ktail" --k 20 corpus/traces/vadd-4k -o vadd.json
"$ktail" --k 20 corpus/calls/streams-threads -o threads.json
for report in "check --all vadd.json corpus/calls/graphs-50" \
	"diff corpus/softgpu/truth-version-1.json corpus/softgpu/truth.json" \
	"score corpus/softgpu/truth-version-1.json corpus/softgpu/truth.json" \
	"annotate vadd.json corpus/traces/vadd-4k -o none.txt" \
	"annotate vadd.json corpus/traces/vadd-4k" \
	"annotate threads.json corpus/calls/streams-threads" \
	"stats corpus/calls/streams-threads" \
	"decode --ioctls --stats corpus/calls/graphs-50" \
	"decode --brief corpus/traces/vadd-4k"; do
	terminal 80 "$ktail" "$report" | sed 's/\x1b\[[0-9]*m//g' > narrow
	[ -s narrow ] || fail "$report: nothing"
	[ -z "$(wider 80 narrow)" ] || fail "$report: wider than 80: $(wider 80 narrow)"
done
# What a terminal cannot show is written there only on request.
while read -r format command; do
	[ "$format" != sqlite ] || "$ktail" export --help | grep -q sqlite || continue
	# shellcheck disable=SC2086 # the command has several words
	terminal 200 "$ktail" $command > shown
	grep -q "a terminal cannot show $format: -o FILE.$format writes a file" shown ||
		fail "$command: a terminal shows $format: $(head -c 200 shown | cat -v)"
	[ "$(wc -l < shown)" = 1 ] || fail "$command: more than a message: $(head -3 shown | cat -v)"
	# shellcheck disable=SC2086
	"$ktail" $command > piped || [ $? = 1 ] || fail "$command: not written to a file"
	# shellcheck disable=SC2086
	terminal 200 "$ktail" $command -o - > shown
	[ "$(wc -c < shown)" -ge "$(tr -d '\r' < piped | wc -c)" ] || fail "$command -o -: not written"
done << END
html report corpus/traces/vadd-4k
perfetto export -f perfetto corpus/traces/vadd-4k
sqlite export -f sqlite corpus/traces/vadd-4k
png infer --k 20 -f png corpus/traces/vadd-4k
pdf convert -f pdf vadd.json
pdf diff -f pdf vadd.json threads.json
png render -f png vadd.json
END
terminal 80 "$ktail" convert -f svg vadd.json > shown
has '<svg' shown
terminal 80 "$ktail" convert -f png vadd.json -o vadd.png > shown
[ ! -s shown ] && [ -s vadd.png ] || fail "-o FILE -f png: $(cat shown)"
# Long messages, too, fit on a terminal, and are one line elsewhere.
terminal 80 "$ktail" no-such-subcommand > narrow
[ "$(wc -l < narrow)" -gt 1 ] && [ -z "$(wider 80 narrow)" ] || fail "an error: $(cat narrow)"
"$ktail" no-such-subcommand 2> wide
[ "$(wc -l < wide)" = 1 ] && [ -n "$(wider 80 wide)" ] || fail "an error for programs: $(cat wide)"
[ "$(words narrow)" = "$(words wide)" ] || fail "an error: other words on a terminal"
"$ktail" check vadd.json corpus/calls/graphs-50 | grep -q 'does not fit: .*, event [0-9]*$' ||
	fail "check: lines for programs are broken"
"$ktail" decode --brief corpus/traces/vadd-4k | grep -q '^doorbell 1 .* channel .* GP_PUT 0 -> 1$' ||
	fail "decode: lines for programs are broken"
cd ..

[ $failures = 0 ]
