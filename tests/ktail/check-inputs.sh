#!/bin/bash
# SPDX-License-Identifier: MIT
# All programs read compressed words, archives of words and of traces, and folders of words like
# their contents; damaged, empty and malicious archives are refused, and no temporary file is left.
#   check-inputs.sh KTAIL CORPUS
ktail=$1 corpus=$(realpath "$2")
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"
command -v zstd > /dev/null || { echo 'zstd is not installed'; exit 77; }
export TMPDIR=$PWD/temporary
mkdir "$TMPDIR"

runs 0 - words "$corpus/traces/vadd-4k" -o words
events=$(echo words/*.events)
zstd -q "$events" -o one.events.zst
mkdir many
for i in 1 2 10; do sed "s/^#ktail name .*/#ktail name r$i\/vadd.0/" "$events" > "many/r$i.events"; done
tar -cf - many | zstd -q > many.tar.zst
tar -C many -cf - r1.events r2.events r10.events | zstd -q > flat.tar.zst
tar -C "$corpus/traces" -cf - vadd-4k | zstd -q > vadd-4k.tar.zst

# infer_to FILE INPUT...
infer_to() {
	local file=$1
	shift
	runs 0 '' --k 20 "$@" -o "$file"
}
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ: $(diff "$1" "$2" | head -5)"; }
infer_to trace.json "$corpus/traces/vadd-4k"
infer_to archive.json vadd-4k.tar.zst
same trace.json archive.json
infer_to word.json "$events"
infer_to packed.json one.events.zst
mkdir some
cp one.events.zst some/
infer_to folder.json some
same packed.json folder.json
same word.json packed.json
infer_to words.json many/r1.events many/r2.events many/r10.events
for input in many many/ many.tar.zst flat.tar.zst; do
	infer_to packed.json $input
	same words.json packed.json
done
# Two inputs with the same name.
mkdir other && cp many.tar.zst other/
infer_to words.json many/r1.events many/r2.events many/r10.events many/r1.events many/r2.events many/r10.events
infer_to packed.json many.tar.zst other/many.tar.zst
same words.json packed.json

runs 0 - check trace.json vadd-4k.tar.zst many.tar.zst one.events.zst
[ "$(grep -c ' letters, fits$' stdout)" = 5 ] || fail "check: $(cat stdout)"
runs 0 '' diff --k 20 many.tar.zst many
grep -qx 'What changed, by 3 old and 3 new recordings: nothing that chance would not give' stdout ||
	fail "diff: $(cat stdout)"
for verb in 'decode --stats' 'stats --by channel'; do
	# shellcheck disable=SC2086
	runs 0 - $verb "$corpus/traces/vadd-4k"
	sed 's|^trace .*||' stdout > expected
	# shellcheck disable=SC2086
	runs 0 - $verb vadd-4k.tar.zst
	sed 's|^trace .*||' stdout | cmp -s - expected || fail "$verb: $(cat stdout)"
done
runs 0 "" annotate trace.json vadd-4k.tar.zst -o annotated.json
runs 3 'it has only letters' annotate trace.json many.tar.zst

printf 'no archive' > bad.tar.zst
runs 3 '^ktail: unpack bad.tar.zst: ' --k 2 bad.tar.zst
head -c 200 many.tar.zst > short.tar.zst
runs 3 '^ktail: unpack short.tar.zst: ' --k 2 short.tar.zst
: > empty.events.zst
runs 3 '^ktail: unpack empty.events.zst: ' --k 2 empty.events.zst
tar -cf - -T /dev/null | zstd -q > empty.tar.zst
runs 3 '^ktail: unpack empty.tar.zst: it is empty$' --k 2 empty.tar.zst
(cd other && tar -cPf - ../many) | zstd -q > outside.tar.zst
runs 3 '^ktail: unpack outside.tar.zst: entry outside of it: ../many/' --k 2 outside.tar.zst
tar -cPf - "$PWD/many" | zstd -q > absolute.tar.zst
runs 3 '^ktail: unpack absolute.tar.zst: entry outside of it: /' --k 2 absolute.tar.zst
# Links in an archive are neither created nor followed.
ln -s /etc linked && tar -cf - linked many/r1.events | zstd -q > links.tar.zst
infer_to words.json many/r1.events
infer_to packed.json links.tar.zst
same words.json packed.json
runs 2 '^ktail: write /nowhere' --k 2 many.tar.zst -o /nowhere/at/all.json
TMPDIR=/nowhere runs 2 '^ktail: create /nowhere/ktail-input-' --k 2 many.tar.zst
[ -z "$(ls "$TMPDIR")" ] || fail "left: $(ls -R "$TMPDIR")"
[ $failures = 0 ]
