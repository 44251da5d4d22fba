#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the phases of the vector add call by call: every call of its source is listed in order,
# with its number of calls, its phase and its number of doorbells. Each phase occurs once, in order.
# Usage: test-phases.sh BIN TABLE SOURCES TRACE...
# For the TRACE "softgpu", the vector add is recorded on the software GPU.
set -u

bin=$1
table=$2
sources=$3
shift 3
scratch=$(mktemp -d)
failures=0
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# calls REPORT: prints the calls of the process vadd in the form of the table, without suffixes _v2
calls() {
	awk -v OFS='\t' '
	/^Phases$/ { inside = 1; next }
	inside && /^[A-Z]/ { exit }
	!inside { next }
	/^  [^ ].* (CREATE|INIT|USE|DESTROY|-), [0-9.]+ to / {
		here = / vadd: /
		phase = $0
		sub(/, [0-9.]+ to .*/, "", phase)
		sub(/.*: /, "", phase)
		next
	}
	here && /^    [A-Z-]+ +c[a-zA-Z0-9_]+ +[0-9]+ calls/ {
		structure = $0
		sub(/.* doorbells;/, "", structure)
		gsub(/ [0-9]+/, "", structure)
		sub(/^ /, "", structure)
		sub(/_v[0-9]+$/, "", $2)
		print $2, $3, phase, $7, structure
	}' "$1"
}

# course CALLS: prints the phases of the calls in order, once for consecutive calls of one phase
course() {
	cut -f 3 "$1" | uniq | tr '\n' ' '
}

# compare NAME: compares the calls with the table
compare() {
	awk -F '\t' -v name="$1" '
	function wrong(what) { printf "FAILED: %s: %s: %s\n", name, $1, what; bad = 1 }
	FNR == NR {
		if ($0 !~ /^#/) { n++; call[n] = $1; times[n] = $2; phase[n] = $3; rings[n] = $4; may[n] = $5 }
		next
	}
	{
		i++
		if ($1 != call[i]) { wrong("it should be " call[i]); exit }
		if ($2 != times[i]) wrong("called " $2 " times, not " times[i])
		if ($3 != phase[i]) wrong("of " $3 ", not " phase[i])
		if (rings[i] != "-" && $4 != rings[i]) wrong($4 " doorbells, not " rings[i])
		split($5, said, " ")
		for (j in said)
			if (index(" " may[i] " ", " " said[j] " ") == 0) wrong("of " said[j] " by structure")
	}
	END {
		if (i != n) { printf "FAILED: %s: %d calls of %d\n", name, i, n; bad = 1 }
		exit bad
	}' "$table" "$2"
}

check() {
	"$bin/ktail" --k 20 "$2" -o "$scratch/fsm.json" || fail "$1: ktail"
	"$bin/ktail" annotate "$scratch/fsm.json" "$2" -o "$scratch/report.txt" \
		-o "$scratch/annotated.json" || fail "$1: ktail annotate"
	calls "$scratch/report.txt" >"$scratch/calls"
	compare "$1" "$scratch/calls" || fail "$1: the calls"
	[ "$(course "$scratch/calls")" = "CREATE INIT USE DESTROY " ] ||
		fail "$1: the phases come as $(course "$scratch/calls")"
	for phase in CREATE USE DESTROY; do
		grep -q "\"phase\": \"$phase\"" "$scratch/annotated.json" ||
			fail "$1: no state is of $phase"
	done
}

grep -v '^#' "$table" | cut -f 1 | sort -u | while read -r call; do
	grep -qw "$call" "$sources"/*.c || echo "$call"
done >"$scratch/strangers"
[ -s "$scratch/strangers" ] && fail "not called in the sources: $(cat "$scratch/strangers")"

for trace; do
	if [ "$trace" = softgpu ]; then
		"$bin/ktail" record --softgpu --api=wrap --api-calls=all -o "$scratch/softgpu" -- \
			"$bin/corpus/vadd" >"$scratch/out" 2>"$scratch/err" ||
			fail "record: $(tail -n 1 "$scratch/err")"
		check softgpu "$scratch/softgpu"
	else
		check "${trace##*/}" "$trace"
	fi
done

[ "$failures" = 0 ] && echo "$# traces: all calls of the vector add are of the phase they must be of"
[ "$failures" = 0 ]
