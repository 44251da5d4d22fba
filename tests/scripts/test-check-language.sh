#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests scripts/check-language on a small tree: words that it finds, and exceptions.
# Usage: test-check-language.sh SCRIPTS
set -eu

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/scripts"
cp "$1/check-language" "$tree/scripts"
cd "$tree"
git init -q .
failures=0

says() { # STATUS PATTERN ARGUMENT...
	status=$1 pattern=$2
	shift 2
	git add -A
	got=0
	scripts/check-language "$@" >"$tree/.git/out" 2>&1 || got=$?
	[ "$got" = "$status" ] && { [ -z "$pattern" ] || grep -q -e "$pattern" .git/out; } && return
	echo "FAILED: status $got, not $status, or not '$pattern' in: $(cat .git/out)"
	failures=$((failures + 1))
}

printf 'text\tzork\tuse plugh\nname\txyzzy\tmagic\n' >scripts/language
printf '/* A comment. */\nint zork(void);\n' >a.c
says 0 ''
printf '/* A zork. */\nint a(void)\n{\n\treturn puts("the zork");\n}\n' >a.c
says 1 '^ *2  text  zork .*use plugh'
says 1 '^a.c:4: zork: ' --list
says 0 '' name xyzzy
printf 'int has_xyzzy;\n' >b.h
says 1 'b.h:1: xyzzy: ' --list
printf 'A document with a zork.\n' >c.md
says 1 'c.md:1: zork: ' --list
rm b.h c.md
printf 'a.c\tzork\tthe name of a game\n' >scripts/language-exceptions
says 0 ''
printf 'b.c\tzork\tgone\n' >>scripts/language-exceptions
says 1 '^exception that is not needed: zork in b.c'
for i in $(seq 30); do
	printf '/* A zork. */\n' >"f$i.c"
	printf 'f%s.c\tzork\tx\n' "$i"
done >scripts/language-exceptions
says 1 'exceptions, not at most 20'
[ "$failures" = 0 ]
