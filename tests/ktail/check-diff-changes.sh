#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail diff on repeated recordings: what varies within a side is noise, and what differs
# between the sides is listed as added, removed, replaced or moved, with the number of recordings
# that show it.
#   check-diff-changes.sh KTAIL
ktail=$1
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# word FILE POLLS LETTER...: writes a word of the letters, with POLLS polls before the last letter
word() {
	local file=$1 polls=$2
	shift 2
	{
		printf '#ktail name trace/app.0\n'
		printf '%s\n' "${@:1:$#-1}"
		yes R:sys | head -n "$polls"
		printf '%s\n' "${@: -1}"
	} > "$file"
}

side() { # NAME N LETTER...: writes N recordings of one side
	local name=$1 n=$2
	shift 2
	for i in $(seq "$n"); do
		word "$name$i.events" $((i % 5 + 1)) "$@"
	done
}

diff_of() { # OLD-N NEW-N OPTION...: compares the first recordings of both sides
	local arguments=(o1.events n1.events) i
	for i in $(seq 2 "$1"); do arguments+=(--old "o$i.events"); done
	for i in $(seq 2 "$2"); do arguments+=(--new "n$i.events"); done
	shift 2
	runs 1 '' diff --k 2 "${arguments[@]}" "$@"
}

says() { tr -s ' \n' ' ' < stdout | grep -qF -e "$(tr -s ' ' <<<"$1")" || fail "not '$1': $(head -20 stdout)"; }

side o 8 open ioctl:0x2b b c d e close
side n 8 open b c ioctl:0x2b d x close

diff_of 8 8
says 'What changed, by 8 old and 8 new recordings:'
says '  moved: NV_ESC_RM_ALLOC, from after open, before b, to after c, before d: in 8 of 8 new and'
says '      0 of 8 old recordings (p = 0.00016)'
says '  replaced: e by x, after d, before close: in 8 of 8 new and 0 of 8 old recordings (p = 0.00016)'
says "Not compared in this list, since their number varies within a version: R:sys"
diff_of 8 8 --names=off
says '  moved: ioctl:0x2b, from after open, before b, to after c, before d: in 8 of 8 new and'
diff_of 8 8 -o changes.json
jq -e '.changes | .old_recordings == 8 and .noise == ["R:sys"] and (.list | length) == 2 and
	(.list[0] | .kind == "moved" and .found and .removed == ["ioctl:0x2b"] and .after == "open" and
	.to_after == "c" and .new == 8 and .old == 0)' changes.json > /dev/null || fail "JSON: $(cat changes.json)"

# If words contain names of calls, each change names the last call before it.
side o 8 cuInit open ioctl:0x2b b cuMemAlloc_v2 c d e close
side n 8 cuInit open b cuMemAlloc_v2 c d x close
diff_of 8 8
says '  cuInit: removed: NV_ESC_RM_ALLOC, after open, before b: missing in 8 of 8 new and'
says '  cuMemAlloc_v2: replaced: e by x, after d, before close: in 8 of 8 new and 0 of 8 old recordings'
diff_of 8 8 -o changes.json
jq -e '[.changes.list[].call] == ["cuInit", "cuMemAlloc_v2"]' changes.json > /dev/null || fail "calls: $(cat changes.json)"
side o 8 open ioctl:0x2b b c d e close
side n 8 open b c ioctl:0x2b d x close

# Differences of few recordings are listed as possible chance. One recording on each side shows no
# noise, so no changes are listed.
diff_of 3 3
says 'What changed, by 3 old and 3 new recordings: nothing that chance would not give'
says 'In all recordings of one side and none of the other, but so few may differ by chance:'
says '  replaced: e by x, after d, before close: in 3 of 3 new and 0 of 3 old recordings (p = 0.1)'
diff_of 1 1
grep -q 'What changed' stdout && fail "changes by one recording a side"

# A change in half of the recordings is found; if there are several words, their names are shown.
for i in 2 4 6 8; do cp "o$i.events" "n$i.events"; done
for i in $(seq 9 16); do
	word "o$i.events" $((i % 4 + 1)) open ioctl:0x2b b c d e close
	word "n$i.events" $((i % 3 + 1)) open ioctl:0x2b b c d e close
done
for i in 9 11 13 15; do cp n1.events "n$i.events"; done
diff_of 16 16
says '  replaced: e by x, after d, before close: in 8 of 16 new and 0 of 16 old recordings (p = 0.0024)'
for i in $(seq 8); do
	printf '#ktail name trace/child.0\na\n' > "o$((i * 2)).events"
	printf '#ktail name trace/child.0\na\nb\n' > "n$((i * 2)).events"
done
diff_of 16 16
grep -q '^  child.0: added: b, after a, at the end: in 8 of 8 new' stdout || fail "words are not named: $(head -20 stdout)"
[ $failures = 0 ]
