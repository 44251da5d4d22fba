#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the commit that cmake/Commit.cmake finds in a git work tree, in an unpacked archive, and in a
# folder that is neither.
# Usage: test-commit.sh ROOT CMAKE
set -eu
root=$1
cmake=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
cd "$work"
mkdir source

# says COMMIT: the generated file must name this commit.
says() {
	"$cmake" -D SOURCE="$work/source" -D OUT="$work/commit.c" -P "$root/cmake/Commit.cmake"
	grep -q "kt_commit\[\] = \"$1\";" commit.c || {
		echo "FAILED: not '$1': $(cat commit.c)"
		exit 1
	}
}

says unknown
git init -q .       # one around it is none of its own
says unknown
git init -q source
says unknown        # without a commit yet
git -C source -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m a
says "$(git -C source rev-parse --short=12 HEAD)"
touch -d '2001-01-01' commit.c
says "$(git -C source rev-parse --short=12 HEAD)"
[ "$(date -r commit.c +%Y)" = 2001 ] || { echo "FAILED: it is written although it is the same"; exit 1; }
echo 0123456789ab >source/COMMIT
says 0123456789ab
