#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests bench-peers.sh with stand-ins for AALpy and FlexFringe: rows and sizes, not times.
#   test-bench-peers.sh BUILD-FOLDER
here=$(dirname "$(readlink -f "$0")")
build=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out" || exit 1
failures=0
export PYTHONPATH=$here/stand-ins FLEXFRINGE=$here/stand-ins/flexfringe

bench() {
	"$here/bench-peers.sh" "$build" "$@" > table 2> stderr || { echo "exit status $?: $*"; failures=$((failures + 1)); }
}

# expect PATTERN: checks that a row, without its seconds and memory, matches
expect() {
	cut -f 1-4,8-10 table | grep -qxP -- "$1" && return
	echo "no row '$1':"
	cat table stderr
	failures=$((failures + 1))
}

# Words of a loop, with letters that must be encoded in FlexFringe's format
for i in 1 2; do printf 'R:sys\nW:reg\nR:sys\nW:reg\n' > w$i.events; done
printf 'R:sys\nioctl:0x2a/0xc36f\n' > w3.events
bench -k '0 1' -n 10 w1.events w2.events w3.events
head -1 table | grep -qx $'letters\tk\ttool\tresult\tseconds\tcpu\tMiB\tstates\ttransitions\tlanguage' || failures=$((failures + 1))
expect '10\t0\tktail \(chains\)\tdone\t1\t3\tsame'
expect '10\t0\tktail \(pta\)\tdone\t1\t3\tsame'
expect '10\t0\tAALpy\tdone\t1\t3\tsame'
expect '10\t0\tFlexFringe\tdone\t1\t3\tsame'
# The tails of one letter are {R}, {W, ioctl}, {R}, {W}, {}, {}. The two states with {R} are
# merged, so the targets of R from them are merged, and then the targets of W from these.
expect '10\t1\tktail \(chains\)\tdone\t2\t3\tsame'
expect '10\t1\tAALpy\tdone\t2\t3\tsame'
expect '10\t1\tFlexFringe\tdone\t2\t3\tsame'
cut -f 5-7 table | tail -n +2 | grep -vqP '^\d+\.\d\d\t\d+\.\d\d\t\d+$' && { echo "no measurements"; cat table; failures=$((failures + 1)); }

# For generated words of two sizes, the stand-ins agree with each other and with ktail's pta
bench -k 2 -n '20 80'
for n in 20 80; do
	ours=$(grep -P "^$n\t2\tktail \(pta\)" table | cut -f 8-9)
	expect "$n\\t2\\tAALpy\\tdone\\t$ours\\tsame"
	expect "$n\\t2\\tFlexFringe\\tdone\\t$ours\\tsame"
done

# A tool that runs out of time, one that fails, one that is not installed
STAND_IN_SLEEP=100 STAND_IN_FAIL=1 bench -k 1 -n 10 -t 5
expect '10\t1\tAALpy\ttime-out\t-\t-\t-'
expect '10\t1\tFlexFringe\tfailed\t-\t-\t-'
grep -q '^bench-peers.sh: FlexFringe on 10, k = 1:$' stderr && grep -q '^No named heuristic' stderr ||
	{ echo "no reason"; cat stderr; failures=$((failures + 1)); }
PYTHONPATH= FLEXFRINGE=no-such-program bench -k 1 -n 10
expect '10\t1\tFlexFringe\tnot installed\t-\t-\t-'

# Usage
"$here/bench-peers.sh" 2> stderr
[ $? = 2 ] && grep -q bench-peers.sh stderr || { echo usage; failures=$((failures + 1)); }

[ $failures = 0 ]
