#!/bin/bash
# SPDX-License-Identifier: MIT
# What a terminal changes: widths of help and tables, colour, progress. Usage: check-terminal.sh
# KTAIL. util-linux's script(1) makes the terminals.
ktail=$1
. "${0%/*}/../cli.sh"

# The words of a subcommand's help are the same at each width, and no line is wider.
subcommands=$("$ktail" help --list-options | cut -f 1)
[ "$(wc -w <<< "$subcommands")" -ge 14 ] || fail "help --list-options: $subcommands"

# terminal COLUMNS COMMAND...: its output where all is one terminal
terminal() {
	local columns=$1
	shift
	TERM=xterm script -qec "stty cols $columns rows 24; $*" /dev/null < /dev/null | tr -d '\r'
}

# words FILE: those of a help, one a line
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

[ $failures = 0 ]
