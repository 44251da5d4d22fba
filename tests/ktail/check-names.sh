#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests names of letters: which outputs show them, which keep the letters, and --names=off.
#   check-names.sh KTAIL TRACE
ktail=$1 trace=$2
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# says FILE TEXT...: checks that the file, with line breaks as blanks, contains each text
says() {
	local file=$1 text
	shift
	for text; do
		tr -s ' \n' ' ' < "$file" | grep -qF -- "$(tr -s ' ' <<<"$text")" || { fail "no '$text' in $file:"; cat "$file"; }
	done
}

printf '%s\n' open ioctl:0x2a/0x205 ioctl:0x2b/0xc8b5 ioctl:uvm:0x21 R:sys ioctl:0x1 close > old.events
sed 's/0xc8b5/0xc86f/' old.events > new.events
letters='"letters": ["R:sys", "close", "ioctl:0x1", "ioctl:0x2a/0x205", "ioctl:0x2b/0xc8b5", "ioctl:uvm:0x21", "open"],'
names='"names": {"ioctl:0x2a/0x205": "NV_ESC_RM_CONTROL GPU_GET_ID_INFO_V2", "ioctl:0x2b/0xc8b5": "NV_ESC_RM_ALLOC HOPPER_DMA_COPY_A", "ioctl:uvm:0x21": "UVM_MAP_EXTERNAL_ALLOCATION"},'

# Names add one member to a machine and change nothing else; tables and statistics keep the letters.
runs 0 - --k 1 old.events -o old.json -o old.dot -o old.tsv --kgrams old.kgrams
runs 0 - --k 1 --names=off old.events -o off.json -o off.dot -o off.tsv --kgrams off.kgrams
says old.json "  $letters" "  $names"
grep -vF "$names" old.json | diff off.json - || fail "more than a member"
same old.tsv off.tsv
same old.kgrams off.kgrams
ktail=${ktail%/*}/ktail-render runs 0 - --no-collapse old.json -o open.dot
grep -q 'NV_ESC_RM_CONTROL\\l *GPU_GET_ID_INFO_V2 (1)\\l' open.dot || fail "no name in the drawing"
grep -qF 'letter="open\nioctl:0x2a/0x205\n' old.dot || fail "no letters in the drawing"
grep -q NV_ESC off.dot && fail "a name in the drawing in spite of --names=off"
ktail=${ktail%/*}/ktail-render runs 0 - --names=off old.json -o render.dot
same render.dot off.dot
ktail=${ktail%/*}/ktail-render runs 0 - off.json -o render.dot
same render.dot off.dot
runs 2 "--names must be" --names=yes old.events

# The other subcommands keep the names.
runs 0 - merge old.kgrams -o merged.json
same merged.json old.json
runs 0 - merge --names=off old.kgrams -o merged.json
same merged.json off.json
sed 's/NV_ESC_RM_ALLOC HOPPER/Of mine/' old.json > mine.json
runs 0 - convert mine.json -o back.gv
runs 0 - convert back.gv -o back.json
same back.json mine.json

# Differences
runs 1 '^ktail: the machines differ: see ' diff --k 1 old.events new.events -o diff.txt -o diff.json
runs 1 '^ktail: the machines differ: see ' diff --k 1 --names=off old.events new.events -o off.txt -o diff-off.json
says diff.txt '  NV_ESC_RM_ALLOC HOPPER_DMA_COPY_A (from 1 state, seen once)' \
	'  letter 2 of old: open; NV_ESC_RM_CONTROL GPU_GET_ID_INFO_V2 | NV_ESC_RM_ALLOC HOPPER_DMA_COPY_A' \
	'    from state 2; there the old machine has: NV_ESC_RM_ALLOC HOPPER_DMA_COPY_A'
says off.txt '  letter 2 of old: open ioctl:0x2a/0x205 | ioctl:0x2b/0xc8b5'
grep -q NV_ESC off.txt diff-off.json && fail "a name in spite of --names=off"
grep -qF '"letter": "ioctl:0x2b/0xc86f", "name": "NV_ESC_RM_ALLOC HOPPER_CHANNEL_GPFIFO_A",' diff.json ||
	fail "no name in the difference"
grep -qF '"ioctl:0x2b/0xc86f": "NV_ESC_RM_ALLOC HOPPER_CHANNEL_GPFIFO_A", "ioctl:0x2b/0xc8b5"' diff.json ||
	fail "not the names of both machines"
runs 1 '^ktail: the machines differ: see ' diff --k 1 --runs R:sys --runs ioctl:uvm:0x21 old.events new.events -o runs.txt -o runs.json
says runs.txt 'runs of R:sys and ioctl:uvm:0x21 count as one letter' \
	'They differ only in how often NV_ESC_RM_ALLOC HOPPER_CHANNEL_GPFIFO_A and' \
	'  NV_ESC_RM_ALLOC HOPPER_DMA_COPY_A come in a row: if runs count as one, the words are the same'
grep -qF '{"(R:sys|ioctl:uvm:0x21)+": "(R:sys|UVM_MAP_EXTERNAL_ALLOCATION)+", ' runs.json || fail "no name of a run"
runs 1 '^ktail: the machines differ: see ' diff mine.json new.events -o mine.txt
grep -qF 'Of mine_DMA_COPY_A' mine.txt || fail "not the name that the machine has"
runs 1 '^ktail: the machines differ: see ' diff --k 20 -a rm "$trace" old.events -o long.txt
[ "$(awk 'length > 100' long.txt | wc -l)" = 0 ] || fail "long lines: $(awk 'length > 100' long.txt)"

# Misfits
runs 1 - check old.json new.events -o check.json
says stdout 'new: letter 2 does not fit: NV_ESC_RM_ALLOC HOPPER_CHANNEL_GPFIFO_A' \
	'    state 2 expects NV_ESC_RM_ALLOC HOPPER_DMA_COPY_A' \
	'    after open; NV_ESC_RM_CONTROL GPU_GET_ID_INFO_V2'
grep -qF '"letter": "ioctl:0x2b/0xc86f", "name": "NV_ESC_RM_ALLOC HOPPER_CHANNEL_GPFIFO_A", ' check.json ||
	fail "no name in the misfit"
runs 1 - check --names=off old.json new.events -o check.json
says stdout 'new: letter 2 does not fit: ioctl:0x2b/0xc86f' '    state 2 expects ioctl:0x2b/0xc8b5' \
	'    after open ioctl:0x2a/0x205'
grep -q NV_ESC check.json && fail "a name in spite of --names=off"

# Annotation
runs 0 - --k 20 -a rm "$trace" -o rm.json
runs 0 '' annotate rm.json "$trace" -o on.txt -o on.json --distil on-small.json
runs 0 '' annotate --names=off rm.json "$trace" -o off.txt -o off.json --distil off-small.json
grep -q ' -> [0-9]* NV_ESC_RM_[A-Z]* ' on.txt || fail "no names in the report"
grep -q ' -> [0-9]* ioctl:0x' off.txt || fail "no letters in the report"
grep -q ' -> [0-9]* NV_ESC' off.txt && fail "names in the report in spite of --names=off"
grep -q '"names": \|"name": "NV_ESC' off.json off-small.json && fail "names in spite of --names=off"
grep -v '^  "names"' on.json | diff - off.json > /dev/null || fail "more than a member of the annotation"
grep -q '"name": "NV_ESC_RM_CONTROL' on-small.json || fail "no names in the distilled machine"

[ $failures = 0 ]
