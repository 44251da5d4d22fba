# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For bash scripts that compare what a command of ktail prints with golden files. The array
# `program` is the command to run, and $out is a scratch folder. Golden files are in the working
# folder; REGENERATE=1 writes them anew.
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export TMPDIR=$out/tmp
mkdir "$TMPDIR"

fail() {
	echo "FAILED: $*"
	[ ! -s "$out/said" ] || sed 's/^/  /' "$out/said"
	exit 1
}

# expect STATUS ARGUMENT...: runs the command and checks its exit status; its output goes to
# $out/got, its messages to $out/said
expect() {
	want=$1
	shift
	"${program[@]}" "$@" > "$out/got" 2> "$out/said"
	status=$?
	[ $status = "$want" ] || fail "${program[*]:1} $*: status $status, not $want"
	[ -z "$(ls -A "$TMPDIR")" ] || fail "${program[*]:1} $*: left something in TMPDIR"
}

# says TEXT: checks that the messages contain the text
says() {
	grep -qF -e "$1" "$out/said" || fail "it does not say: $1"
}

# golden_file NAME FILE: checks that the file equals the golden file NAME
golden_file() {
	[ -z "$REGENERATE" ] || cp "$2" "$1"
	cmp "$1" "$2" || { diff "$1" "$2" | head -20; fail "$1"; }
}

# golden NAME ARGUMENT...: checks that the command's output equals the golden file NAME
golden() {
	name=$1
	shift
	expect 0 "$@"
	golden_file "$name" "$out/got"
}
