#!/bin/bash
# SPDX-License-Identifier: MIT
# Compares the two versions of the software GPU's driver, whose true difference is known: only the
# program that launches graphs differs. Random halves of one version's recordings do not differ.
#   measure-softgpu.sh BUILD DIVIDE TIMES SPLITS
build=$1 divide=$2 times=$3 splits=$4
[ -e "$build/lib/ktail-softgpu/libcuda.so.1" ] || { echo 'no software GPU'; exit 77; }
ktail=$build/bin/ktail
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"
unset KTAIL_SOFTGPU_DRIVER KTAIL_SOFTGPU_TRANSFER
declare -A command=(
	[vadd]='vadd --size 4096 --repeat 3' [copies]='copies --memory pinned --max 65536'
	[streams]='streams --streams 2 --rounds 2' [graphs]='graphs --nodes 10 --launches 5'
	[micro]='microbench --contexts 1 --streams 2 --requests 4 --kind mixed --length 4096')

alarms=0 halves=0
for name in "${!command[@]}"; do
	mkdir "$name-1" "$name-2" "$name-1-stats" "$name-2-stats"
	# The versions are recorded in turn, because times change with the machine's load.
	for i in $(seq "$times"); do
		for version in 1 2; do
			# shellcheck disable=SC2086
			runs 0 '' record -q --softgpu --softgpu-driver $version --api=wrap --force \
				--subbuf-size 262144 --num-subbuf 8 -o trace -- "$build/bin/corpus/"${command[$name]}
			runs 0 '' words -a calls trace -o words
			mv words/*.events "$name-$version/$name-$i.events"
			runs 0 - stats trace -o "$name-$version-stats/$name-$i.csv"
			rm -rf words
		done
	done
	for version in 1 2; do
		read -r n found < <("$divide" "$splits" "$name-$version"/*.events)
		halves=$((halves + n))
		alarms=$((alarms + found))
	done
	# By chance, the machines differ in polls or are equal.
	"$ktail" diff --k 20 "$name-1" "$name-2" -o changes.json -o changes.txt > stdout 2> stderr
	[ $? -le 1 ] || fail "diff $name: $(cat stderr)"
	runs 0 - stats --old "$name-1-stats" --new "$name-2-stats" -o figures.json -o figures.txt
	python3 - "$name" <<'EOF' || fail "$name: $(sed -n '/What changed/,/^Below/p' changes.txt) $(cat figures.txt)"
import json, sys
changes = json.load(open('changes.json'))['changes']
# Times and polls are left out: they depend on the machine's load, and chance may make them differ.
figures = [row for row in json.load(open('figures.json'))['rows']
           if row['figure'] not in ('time', 'self', 'ioctl_time', 'wait_time', 'waits', 'reads')]
if sys.argv[1] == 'graphs':
    # Reads of sys are left out as noise only if their number varies, which depends on the load.
    text = open('changes.txt').read().replace('W:fb, R:sys,', 'W:fb,')
    assert 'cuGraphLaunch: removed: W:sys, W:fb, W:reg' in text
    assert {row['call'] for row in figures} == {'cuGraphLaunch'}, figures
    doorbells = [row for row in figures if row['figure'] == 'doorbells']
    assert doorbells[0]['old'] == '20' and doorbells[0]['new'] == '5', doorbells
else:
    assert 'nothing that chance would not give' in open('changes.txt').read()
    assert not figures, figures
EOF
done
# moved WORD: prints a word with its ioctl number $at moved to the position after the next 20 ioctls
moved() {
	awk -v at="$at" '/^ioctl/ && ++n == at { held = $0; until = n + 20; next }
		{ print }
		/^ioctl/ && n == until && held != "" { print held; held = "" }' "$1"
}
tried=0
for name in "${!command[@]}"; do
	[ "$times" -ge 16 ] || break # with fewer recordings, a change in half of them may be chance
	for version in 1 2; do
		for at in 5 30 60; do
			mkdir seeded
			i=0
			for word in "$name-$version"/*.events; do
				i=$((i + 1))
				if [ $((i % 2)) = 0 ]; then moved "$word"; else cat "$word"; fi > "seeded/${word##*/}"
			done
			tried=$((tried + 1))
			"$ktail" diff --k 20 "$name-$version" seeded -o changes.json > stdout 2> stderr
			jq -e '[.changes.list[] | select(.found and .old == 0)] | length > 0' changes.json > found ||
				fail "$name: an ioctl moved at $at is not found"
			rm -r seeded
		done
	done
done
echo "$tried moved ioctls found"
echo "$alarms of $halves random halves differ"
[ $((100 * alarms)) -le $halves ] || fail 'random halves differ'
[ $failures = 0 ]
