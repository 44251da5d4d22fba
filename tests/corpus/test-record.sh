#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the output and the checks of record.sh, with the fake driver and a stand-in recorder.
# Usage: test-record.sh PROJECT FOLDER-OF-WORKLOADS FOLDER-OF-FAKE-LIBCUDA JSON-GET
set -u
project=$1
bin=$2
fake=$3
json_get=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
ln -s "$project/tests/corpus/stand-in-ktail.sh" "$work/ktail"

fail() {
	echo "FAIL: $*"
	sed 's/^/  stdout: /' "$work/out"
	sed 's/^/  stderr: /' "$work/err"
	failures=$((failures + 1))
}

# record STATUS [OPTION]...: runs record.sh and checks its exit status.
record() {
	expected=$1
	shift
	LD_LIBRARY_PATH=${cuda:-$fake} "$project/corpus/record.sh" --ktail "$work/ktail" \
		--workloads "$bin" --out "$work/traces" --repeat 2 "$@" \
		>"$work/out" 2>"$work/err"
	status=$?
	[ "$status" -eq "$expected" ] || fail "record.sh $*: status $status, not $expected"
}

says() {
	grep -qF -- "$1" "$work/err" || fail "standard error lacks '$1'"
}

# is VALUE NAME KEY...: checks a member of the provenance of trace NAME.
is() {
	value=$1
	shift
	name=$1
	shift
	found=$("$json_get" "$work/traces/$name/provenance.json" "$@") ||
		fail "$name: no $* in the provenance"
	[ "$found" = "$value" ] || fail "$name: $* is '$found', not '$value'"
}

# All runs of recordings.tsv, of which there are at least 14, succeed.
record 0 --commit 0123abc
rows=$(grep -c '^[a-z]' "$project/corpus/recordings.tsv")
[ "$rows" -ge 14 ] || fail "recordings.tsv: only $rows runs"
[ "$(find "$work/traces" -name provenance.json | wc -l)" -eq "$rows" ] ||
	fail "not a provenance for each run"
[ "$(grep -c ' 4123  *0  *215 .* yes$' "$work/out")" -eq "$rows" ] ||
	fail "the table does not hold $rows good rows"
[ ! -s "$work/err" ] || fail "good runs wrote to standard error"
is ktail-provenance/1 vadd-4k format
is vadd-4k vadd-4k trace
is 'vadd --size 4096' vadd-4k command
is 0123abc vadd-4k recorder commit
is 'Fake "GPU" 1' vadd-4k gpu name
is 9.0 vadd-4k gpu compute
is 13.0 vadd-4k driver cuda
is "$(uname -srm)" vadd-4k host kernel
is 4123 vadd-4k events
is 0 vadd-4k lost
is 215 vadd-4k doorbells
is 0 vadd-4k exit_status bare
is 0 vadd-4k exit_status recorded
is true vadd-4k same_output
is 2 vadd-4k wall_s bare_runs
is 4105 vadd-4k bytes
for key in bare recorded recorder_alone; do
	case $("$json_get" "$work/traces/vadd-4k/provenance.json" wall_s "$key") in
	[0-9]*.[0-9]*) ;;
	*) fail "vadd-4k: wall_s $key is not a time" ;;
	esac
done

# A run replaces its earlier result, and messages are escaped in JSON.
touch "$work/traces/graphs-1/stale"
STAND_IN=loud
export STAND_IN
record 0 --only graphs-1
[ "$(grep -c ' yes$' "$work/out")" -eq 1 ] || fail "--only graphs-1: not one run"
[ ! -e "$work/traces/graphs-1/stale" ] || fail "--only graphs-1: the old trace is still there"
is 4123 graphs-1 events
"$json_get" "$work/traces/graphs-1/provenance.json" recorder messages |
	grep -qF '"a \"message\" with \\ andtab"' || fail "graphs-1: message not escaped"

# Faults are reported.
STAND_IN=lossy
record 1 --only vadd-4k
says 'record vadd-4k: events lost: 7'
is 7 vadd-4k lost
STAND_IN=idle
record 1 --only vadd-4k
says 'record vadd-4k: doorbells without a moved GP_PUT: 3'
STAND_IN=lagging
record 1 --only vadd-4k
says 'record vadd-4k: channels that moved after their last doorbell: 2'
STAND_IN=silent
record 1 --only vadd-4k
says 'record vadd-4k: events lost: unknown'
is null vadd-4k events
STAND_IN=alter
record 1 --only vadd-4k
says 'record vadd-4k: output or status differ when recorded'
is false vadd-4k same_output
STAND_IN=status
record 1 --only vadd-4k
says 'output or status differ when recorded (status 3)'
STAND_IN=fail
record 2 --only vadd-4k
says 'record.sh: record true: status 125'
unset STAND_IN
FAKE_CUDA_WRONG=1
export FAKE_CUDA_WRONG
record 1 --only vadd-4k
says 'record vadd-4k: the run without the recorder failed with status 1'
unset FAKE_CUDA_WRONG
printf 'big\t-\tvadd --size 9\n' >"$work/table"
record 0 --table "$work/table" --limit 1
is 'vadd --size 9' big command
head -c 1100000 /dev/zero >"$work/padding"
sed "s|^mkdir.*|&; cp '$work/padding' \"\$trace\"|" "$project/tests/corpus/stand-in-ktail.sh" \
	>"$work/padder"
chmod +x "$work/padder"
record 1 --table "$work/table" --limit 1 --ktail "$work/padder"
says 'the traces together exceed 1 MB'

# Usage errors and a missing GPU have exit statuses of their own.
record 2 --only no-such-run
record 2 --repeat 0
record 2 --no-such-option
record 2 --table "$work/missing"
record 2 --ktail "$work/missing"
printf '../up\t-\tvadd\n' >"$work/table"
record 2 --table "$work/table"
says "'../up' is not a valid name for a trace"
mkdir "$work/none"
: >"$work/none/libcuda.so.1"
cuda=$work/none
record 77
says 'corpus-info: load libcuda.so.1'

[ "$failures" -eq 0 ]
