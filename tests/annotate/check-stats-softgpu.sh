#!/bin/bash
# SPDX-License-Identifier: MIT
# Does all steps on the software GPU: records with API calls, counts what the calls did, fits a
# line, annotates, and compares two versions of the driver by ktail diff.
#   check-stats-softgpu.sh BIN
bin=$1
ktail=$bin/ktail
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"
# shellcheck source=tests/record-softgpu.sh
. "${0%/*}/../record-softgpu.sh"

# holds TRACE CALL COLUMN NUMBER
holds() {
	local got
	got=$("$ktail" stats --strict -f tsv "$1/" | awk -F '\t' -v row="$2" -v column="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
		NR > 1 && $1 == row { print $at }')
	[ "$got" = "$4" ] || fail "$1: $2: $3 is '$got', not $4"
}

# vadd makes two inline copies of 16 KiB to the device, one copy back and one launch; no doorbell is
# written outside of calls.
record vadd -- "$bin/corpus/vadd" --size 4096
holds vadd cuMemcpyHtoD_v2 calls 2
holds vadd cuMemcpyHtoD_v2 inline 2
holds vadd cuMemcpyHtoD_v2 inline_to_24k 2
holds vadd cuMemcpyHtoD_v2 inline_bytes 32768
holds vadd cuMemcpyHtoD_v2 doorbells 2
holds vadd cuMemcpyDtoH_v2 copied_bytes 16384
holds vadd cuLaunchKernel launches 1
holds vadd '(outside of calls)' doorbells 0
holds vadd '(outside of calls)' ioctls 0
# Larger copies are staged: they go through the driver's memory, in pieces.
record large -- "$bin/corpus/vadd" --size 1048576
holds large cuMemcpyHtoD_v2 inline 0
holds large cuMemcpyHtoD_v2 direct 0
holds large cuMemcpyHtoD_v2 staged_bytes 8388608

# A graph of 50 kernels, launched 5 times: the versions differ in how many doorbells they write, and
# in how many kernels commands start. In version 2 kernels start the others.
for version in 1 2; do
	record graphs-$version --softgpu-driver $version -- "$bin/corpus/graphs" --nodes 50
	holds graphs-$version cuGraphLaunch launches $((version == 1 ? 250 : 5))
	"$ktail" --k 20 graphs-$version/ -o $version.json || fail "infer $version"
	"$ktail" annotate $version.json graphs-$version/ -o annotated-$version.json || fail "annotate $version"
done
tr -d '\n ' < annotated-1.json | grep -q '{"name":"cuGraphLaunch","api":"driver","calls":5,[^}]*"doorbells":30,' ||
	fail "an annotated machine has no figures of calls"
holds graphs-1 cuGraphLaunch doorbells 30
holds graphs-2 cuGraphLaunch doorbells 5
runs 1 - diff annotated-1.json annotated-2.json
grep -q '^  cuGraphLaunch: 1 doorbell instead of 6; .*; 1 launch instead of 50; ' stdout ||
	{ cat stdout; fail "diff does not say how graphs are launched"; }
# Polling decides which sequences are shown first; each is shown with the labels of its letters.
grep -q "^  [^ ]* [^ ]* (from .*): '[^?]*', '[^?]*'$" stdout ||
	{ cat stdout; fail "diff does not speak in labels"; }
# A machine and the same machine annotated do not differ.
runs 0 - diff 1.json annotated-1.json

# A line is fitted to bytes and times. awk computes the same line from the table of
# the points.
for nodes in 10 100 200; do
	record graphs-$nodes -- "$bin/corpus/graphs" --nodes $nodes
done
runs 0 - stats --fit graph-launch graphs-10 graphs-100 graphs-200 -o fit.json -o fit.tsv -o fit.txt
grep -q '^graph-launch: 15 calls$' fit.txt || { cat fit.txt; fail "calls of a fit"; }
awk -F '\t' 'NR > 1 { n++; x += $9; y += $6; xx += $9 * $9; xy += $9 * $6 }
	END { slope = (n * xy - x * y) / (n * xx - x * x); printf "%.3f %.3f\n", (y - slope * x) / n / 1000, slope }' \
	fit.tsv > awk.txt
sed -n 's/^time = \([-0-9.]*\) us \([-+]\) \([0-9.]*\) ns .*/\1 \2\3/p' fit.txt | tr -d + > said.txt
awk '{ getline line < "awk.txt"; split(line, a, " ")
	d = $1 - a[1]; e = $2 - a[2]; exit !(d * d < 1e-4 && e * e < 1e-4) }' said.txt ||
	{ cat said.txt awk.txt; fail "another line"; }

# Queries are counted and not traced, and the readers say so. What two recordings traced is compared
# before their calls are.
record all --api-calls=all -- "$bin/corpus/vadd" --size 4096
runs 0 - stats vadd
grep -q '^2 more API calls were counted and not traced ' stdout || fail "stats does not say what was counted"
runs 0 - stats --coverage -f tsv vadd
[ "$(awk -F '\t' '$3 == "counted" && $5 > 0 { print $2, $5 }' stdout)" = "cuDeviceGet 1
cuDeviceGetCount 1" ] || fail "what was counted"
runs 0 - stats -f json vadd
grep -q '^ "counted": 2$' stdout || fail "JSON: what was counted"
runs 0 - stats all
! grep -q counted stdout || fail "stats: nothing was only counted"
calls() {
	"$ktail" stats -f tsv "$1" | awk -F '\t' '$1 == "all" { print $3 }'
}
[ "$(calls all)" = $(($(calls vadd) + 2)) ] || fail "calls: $(calls all), $(calls vadd)"
for side in all vadd; do
	runs 0 - infer --k 2 --alphabet api $side -o api-$side.json
done
runs 1 'the old machine has --api-calls=all, the new machine --api-calls=work' diff api-all.json api-vadd.json
grep -q '^  traced calls of the API: all -> work$' stdout || fail "diff: what was traced"
runs 1 'api-all.json has --api-calls=all, vadd --api-calls=work' check api-all.json vadd
runs 0 - check api-all.json all
runs 0 'recorded with different --api-calls' infer --k 2 --alphabet api all vadd -o mixed.json
runs 0 'recorded with --api-calls=all and --api-calls=work' stats --old all --new vadd
runs 2 'queries with --api-calls=all' stats vadd --call cuDeviceGet

# Coverage: the calls counted for wrapped entry points are the calls of the trace.
runs 0 - stats --coverage -f tsv graphs-2
seen=$(awk -F '\t' '$3 == "wrapped" { n += $5 } END { print n }' stdout)
holds graphs-2 all calls "$seen"
[ "$failures" -eq 0 ]
