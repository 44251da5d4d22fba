#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail stats --old --new: two user-mode drivers of an H100 differ in known figures of calls,
# and random halves of one driver's recordings hardly ever differ.
#   check-stats-versions.sh KTAIL CORPUS
ktail=$1 drivers=$(realpath "$2/drivers")
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# With every program, the newer libcuda makes one more ioctl in cuInit and sets contexts faster.
for old in "$drivers"/580.95.05/*-stats.tar.zst; do
	name=${old##*/}
	runs 0 - stats --old "$old" --new "$drivers/580.159.04/$name" -o versions.tsv -o versions.json
	"$ktail" stats --old "$old" --new "$drivers/580.159.04/$name" -f tsv > versions.tsv
	grep -qP '^cuInit\tioctls\t106\t107\t\+1\t\+1 to \+1\t3.3e-09\tyes$' versions.tsv || fail "$name: $(cat versions.tsv)"
	grep -qP '^cuCtxSetCurrent\ttime\t.*\t-[0-9.]* us\t-[0-9.]* us to -[0-9.]* us\t' versions.tsv ||
		fail "$name: $(cat versions.tsv)"
	[ "$(grep -c . versions.tsv)" -le 6 ] || fail "$name: $(cat versions.tsv)"
done

# At the level 0.05 of the comparison, two of 40 random divisions are expected to differ; four are
# tolerated.
found=0 halves=0
for file in "$drivers"/580.159.04/{vadd,graphs,streams,copies}-stats.tar.zst; do
	mkdir one && tar -C one --zstd -xf "$file"
	for seed in 1 2 3 4 5 6 7 8 9 10; do
		mapfile -t files < <(shuf --random-source=<(yes $seed) -e one/*.csv)
		options=()
		for i in "${!files[@]}"; do
			options+=("$([ "$i" -lt 8 ] && echo --old || echo --new)" "${files[$i]}")
		done
		"$ktail" stats "${options[@]}" > out.txt || fail "halves: $(cat out.txt)"
		grep -q '^Of [0-9]* figures that vary among the recordings, 0 differ' out.txt || found=$((found + 1))
		halves=$((halves + 1))
	done
	rm -rf one
done
[ $found -le 4 ] || fail "$found of $halves random halves differ"

mkdir one && tar -C one --zstd -xf "$drivers/580.95.05/vadd-stats.tar.zst"
runs 0 - stats --old one/vadd-1.csv --new one/vadd-2.csv
grep -q '^With so few recordings, each difference may be chance\.$' stdout || fail "one each: $(cat stdout)"
runs 0 - stats --old one --new one
grep -q '^Of [0-9]* figures that vary among the recordings, 0 differ' stdout || fail "the same: $(cat stdout)"
runs 2 -- '--old and --new need each other' stats --old one
runs 2 'one: give each trace after --old or --new' stats --old one --new one one
runs 2 '--fit and --old exclude' stats --old one --fit copy
echo 'call,api,time' > head.csv
echo 'name,time' > bad.csv
runs 3 'bad.csv: is not a table of ktail stats -f csv' stats --old bad.csv --new one
runs 3 'head.csv: it has no rows of calls' stats --old head.csv --new one
runs 3 'no API calls were recorded' stats --old "$drivers/../traces/vadd-4k" --new one
[ $failures = 0 ] && echo "$found of $halves random halves differ"
[ $failures = 0 ]
