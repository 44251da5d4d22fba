# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Command-line tests set $ktail to the program, then run: . "${0%/*}/../cli.sh". From then on they are
# in an empty folder, which is removed at the end. Their last command is: [ $failures = 0 ]
out=$(mktemp -d)
trap 'chmod -R u+w "$out"; rm -rf "$out"' EXIT
cd "$out" || exit 1
failures=0

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# runs STATUS PATTERN ARGUMENT...: runs ktail and checks its exit status and that a line of
# standard error matches; PATTERN '': any text (for status 0 and 1), -: no text
runs() {
	local expected=$1 pattern=$2 status
	shift 2
	"${ktail:?}" "$@" > stdout 2> stderr
	status=$?
	[ $status = "$expected" ] || fail "ktail $*: exit status $status, not $expected: $(cat stderr)"
	if [ "$pattern" = - ]; then
		[ ! -s stderr ] || fail "ktail $*: said $(cat stderr)"
	elif [ -n "$pattern" ]; then
		grep -q -e "$pattern" stderr || fail "ktail $*: not '$pattern': $(cat stderr)"
	elif [ "$expected" -gt 1 ]; then
		fail "no pattern for $*"
	fi
}

same() {
	cmp "$1" "$2" || fail "$1 and $2 differ"
}

# Checks that no output and no temporary file is left.
leaves_nothing() {
	if [ -n "$(find . -maxdepth 1 \( -name 'result*' -o -name '.ktail-*' \))" ]; then
		fail "left behind: $(find . -maxdepth 1 \( -name 'result*' -o -name '.ktail-*' \))"
		rm -rf result* .ktail-*
	fi
}
