#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the machines of traces of the corpus, at k = auto and 20, and their distilled machines for a
# page of 178 mm, and checks the drawings: nothing overlaps, letters have 6 pt on the page, and begin
# reaches end. So are the demo's figures. A machine that does not fit the page must be refused with the width that it needs.
# With `all`, draws in all other ways, too, and labelled machines, letters by role, and the programs
# with other drivers.
# Usage: figures.sh KTAIL KTAIL-RENDER CHECK-FIGURE CORPUS [all]
set -eu
ktail=$1 render=$2 check=$3 corpus=$4 all=${5:-}
here=$(realpath "$(dirname "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# draw MACHINE.json FILE.svg OPTION...
draw()
{
	machine=$1 drawing=$2
	shift 2
	"$render" --layout-timeout 300 "$@" "$machine" -o "$drawing"
}

# page MACHINE.json FILE.svg
page()
{
	draw "$1" "$2" --width 178mm 2> "$folder/err" && return
	cat "$folder/err"
	grep -q 'fit drawing: at this width its letters have .* pt, less than 6: give a --width of [0-9]*mm or more' "$folder/err"
}

# layout MACHINE.json FILE.svg: draws the layout that is written as JSON.
layout()
{
	"$render" --layout-timeout 300 -f json "$1" > "$folder/layout"
	jq -r -f "$here/layout-svg.jq" "$folder/layout" > "$2"
}

# distilled MACHINE.json TRACE FILE.svg
distilled()
{
	"$ktail" annotate "$1" "$2" -o "$folder/labelled.json" --distil "$folder/distilled.json" 2> /dev/null
	"$render" --width 178mm "$folder/distilled.json" -o "$3" -o "$folder/distilled.dot"
	for column in system user; do
		tr -d '"' < "$folder/distilled.dot" | awk -v column=$column '
			$1 ~ "^" column "-" && $2 == "->" { edge[$1, $3]; next }
			$1 ~ "^" column "-" { last = $1 }
			END {
				reached[column "-0"]
				do {
					more = 0
					for (e in edge) {
						split(e, ends, SUBSEP)
						if (ends[1] in reached && !(ends[2] in reached)) {
							reached[ends[2]]
							more = 1
						}
					}
				} while (more)
				exit last && !(last in reached)
			}' || { echo "$3: no way from begin to end is drawn"; exit 1; }
	done
}

for trace in "$corpus"/traces/*/ "$corpus"/calls/*/ "$corpus"/interfaces/*.tar.zst \
	"$corpus"/applications/*.tar.zst; do
	for k in auto 20; do
		name=$folder/$(basename "$trace")-$k
		"$ktail" --k $k "$trace" -o "$name.json" 2> /dev/null
		page "$name.json" "$name-page.svg"
		layout "$name.json" "$name-layout.svg"
		if [ "$all" ]; then
			draw "$name.json" "$name-plain.svg"
			draw "$name.json" "$name-list.svg" --hide 5 --list --grey
			draw "$name.json" "$name-right.svg" --hide 5% --rankdir LR --heading below
			"$ktail" annotate "$name.json" "$trace" -o "$folder/labelled.json" 2> /dev/null
			draw "$folder/labelled.json" "$name-labelled.svg"
			page "$folder/labelled.json" "$name-labelled-page.svg"
		fi
	done
	distilled "$name.json" "$trace" "$name-distilled-page.svg"
done
for trace in ${all:+"$corpus"/traces/*/ "$corpus"/drivers/*/*-trace.tar.zst}; do
	name=$folder/$(echo "${trace#"$corpus"/}" | tr / -)-roles
	"$ktail" --alphabet roles "$trace" -o "$name.json" 2> /dev/null
	page "$name.json" "$name-page.svg"
	draw "$name.json" "$name-plain.svg"
done
# The demo's figures, drawn by its own commands: of the trace on a GPU and of one on the software GPU.
build=$(dirname "$(dirname "$ktail")")
sed -n '/^[[:space:]]*"$build\/bin\/ktail" .* -o /p' "$here/../../scripts/demo" > "$folder/demo"
test "$(grep -c '\.svg' "$folder/demo")" = 2
for trace in "$corpus/calls/vadd-4k" "$here/../words/data/softgpu-streams"; do
	mkdir "$folder/drawn"
	(cd "$folder/drawn" && . "$folder/demo" > "$folder/said" 2>&1)
	for drawing in fsm meaning distilled; do
		mv "$folder/drawn/$drawing.svg" "$folder/demo-$(basename "$trace")-$drawing.svg"
	done
	rm -r "$folder/drawn"
done
"$check" "$folder"/*.svg
"$check" --width 178 "$folder"/*-page.svg
# Without Helvetica or a font of its widths, a viewer takes a wider one.
"$check" --font 'DejaVu Sans' "$folder"/*-distilled*.svg
"$check" --font 'DejaVu Sans' --width 178 "$folder"/*-distilled-page.svg

# What does not fit is refused, and fits if what the message says is hidden.
"$ktail" "$corpus"/traces/*/ -o "$folder/all.json" 2> /dev/null
! "$render" --width 85mm "$folder/all.json" -o "$folder/no.svg" 2> "$folder/err"
hide=$(sed -n 's/.* give a --width of [0-9]*mm or more, or --hide \([0-9]*%\)$/\1/p' "$folder/err")
draw "$folder/all.json" "$folder/column.svg" --width 85mm --hide "$hide"
"$check" --width 85 "$folder/column.svg"
! "$render" --width 20mm "$name.json" -o "$folder/no.svg" 2> "$folder/err"
grep -q 'its letters have .* pt, less than 6' "$folder/err"
test ! -e "$folder/no.svg"
! "$render" --width 178 "$name.json" -o "$folder/no.svg" 2> "$folder/err"
grep -q -e '--width must be a length' "$folder/err"
! "$render" --hide x "$name.json" -o "$folder/no.svg" 2> "$folder/err"
grep -q -e '--hide must be' "$folder/err"
