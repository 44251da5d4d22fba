# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# To be read by bash scripts that run a command of ktail and compare what it says: of the array
# `program`, the command to run. $out is a scratch folder. Golden files, in the working folder, are
# regenerated with REGENERATE=1.
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export TMPDIR=$out/tmp
mkdir "$TMPDIR"

fail() {
	echo "FAILED: $*"
	[ ! -s "$out/said" ] || sed 's/^/  /' "$out/said"
	exit 1
}

# expect STATUS ARGUMENT...: runs the command and checks its exit status; output in
# $out/got, messages in $out/said
expect() {
	want=$1
	shift
	"${program[@]}" "$@" > "$out/got" 2> "$out/said"
	status=$?
	[ $status = "$want" ] || fail "${program[*]:1} $*: status $status, not $want"
	[ -z "$(ls -A "$TMPDIR")" ] || fail "${program[*]:1} $*: left something in TMPDIR"
}

# says TEXT: among the messages
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
