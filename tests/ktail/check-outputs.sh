#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests -o of every program: which links it follows, which attributes of a replaced file it keeps,
# and that no file is left when the disk is full. As root, tests links of another user, too.
#   check-outputs.sh KTAIL TRACE
ktail=$1 trace=$2
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"
render=${ktail%/*}/ktail-render

seq 1 3000 > word.events
umask 022
runs 0 - --k 1 word.events -o machine.json
runs 0 - --k 1 word.events --kgrams sum.kgrams -o - > /dev/null

# every_output STATUS PATTERN: runs each program so that it replaces $name.ENDING, as runs() does
every_output() {
	runs "$@" --k 1 word.events -o "$name.json"
	runs "$@" convert machine.json -o "$name.json"
	runs "$@" diff machine.json machine.json -o "$name.json"
	runs "$@" sweep word.events -o "$name.tsv"
	runs "$@" words word.events -o "$name.dat"
	runs "$@" merge sum.kgrams -o "$name.kgrams"
	runs "$@" merge --update "$name.kgrams" sum.kgrams
	runs "$@" decode "$trace" -o "$name.txt"
	runs "$@" stats "$trace" -o "$name.tsv"
	ktail=$render runs "$@" machine.json -o "$name.svg"
}

# Mode and owner are kept.
name=replaced
for ending in json tsv dat txt svg; do
	: > replaced.$ending
done
cp sum.kgrams replaced.kgrams
chmod 600 replaced.*
[ "$(id -u)" != 0 ] || chown 65534:12345 replaced.*
stat -c '%n %a %u:%g' replaced.* > before
every_output 0 ''
stat -c '%n %a %u:%g' replaced.* | diff before - || fail "mode or owner of a replaced file"
[ -z "$(find . -maxdepth 1 -name 'replaced.*' -empty)" ] || fail "not written: $(ls -l replaced.*)"

# The user's own links are followed.
mkdir elsewhere
ln -s elsewhere/target.json own.json
runs 0 - --k 1 word.events -o own.json
[ -L own.json ] && same elsewhere/target.json machine.json

# Files of another user in a folder like /tmp
if [ "$(id -u)" = 0 ]; then
	chmod 711 .
	mkdir private sticky
	chmod 700 private
	chmod 1777 sticky
	for ending in json tsv dat kgrams txt svg; do
		echo secret > private/victim.$ending
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			ln -s ../private/victim.$ending sticky/planted.$ending ||
			fail "cannot be another user"
	done
	cp sum.kgrams private/victim.kgrams
	(cd private && sha256sum ./*) > before
	name=sticky/planted
	every_output 2 'it is a symbolic link of another user (uid 65534) in a sticky folder that others may write to, and is not followed$'
	(cd private && sha256sum ./*) | diff before - || fail "another user's link was followed"
	setpriv --reuid=65534 --regid=65534 --clear-groups ln -s ../private sticky/folder
	runs 2 '^ktail: write words to sticky/folder: it is a symbolic link of another user' \
		words word.events -o sticky/folder
	runs 2 '^ktail: write words to sticky/folder/: it is a symbolic link of another user' \
		words word.events -o sticky/folder/
	[ -z "$(find . -name '*.ktail-*')" ] || fail "temporary files"
fi

# If a file reaches the limit of file sizes, as on a full disk, no file is left.
(
	ulimit -f 8
	runs 2 '^ktail: write result/word.events: File too large$' words word.events -o result
	leaves_nothing
	mkdir kept
	runs 2 '^ktail: write kept/word.events: File too large$' words word.events -o kept
	[ -d kept ] && [ -z "$(ls -A kept)" ] || fail "kept: $(ls -A kept)"
	[ "$failures" = 0 ]
) || failures=$((failures + 1))
head -3 word.events > a.events
(
	ulimit -f 8
	runs 2 '^ktail: write result/word.events: File too large$' words a.events word.events -o result
	leaves_nothing
	[ "$failures" = 0 ]
) || failures=$((failures + 1))

[ $failures = 0 ]
