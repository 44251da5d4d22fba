#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the gate of the README on the software GPU: a new recording of each workload passes, and
# each seeded change is refused: another driver version; an ioctl missing, repeated or late; an
# additional doorbell; other arguments; another program; a truncated or killed program; a
# recording of a GPU; a program with several threads.
#   check-gate.sh BUILD SHIM CORPUS
build=$1 shim=$(realpath "$2") corpus=$(realpath "$3")
for needed in "$build/lib/ktail-softgpu/libktail-softgpu.so" "$build/lib/ktail-softgpu/libcuda.so.1"; do
	[ -e "$needed" ] || { echo "no $needed"; exit 77; }
done
ktail=$build/bin/ktail
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"
unset GATE_SHIM KTAIL_SOFTGPU_DRIVER KTAIL_SOFTGPU_TRANSFER KTAIL_SOFTGPU_SEED
declare -A command=(
	[vadd]='vadd --size 4096 --repeat 3' [copies]='copies --memory pinned --max 65536'
	[streams]='streams --streams 2 --rounds 2' [graphs]='graphs --nodes 10 --launches 3'
	[micro]='microbench --contexts 1 --streams 2 --requests 4 --kind mixed --length 4096')

# record FOLDER OPTIONS COMMAND: records, with the shim before the recorder if GATE_SHIM is set
record() {
	# shellcheck disable=SC2086,SC2016
	timeout 120 "$ktail" record -q --softgpu --subbuf-size 262144 --num-subbuf 4 $2 -o "$1" -- \
		sh -c '[ -z "$GATE_SHIM" ] || export LD_PRELOAD=$0:$LD_PRELOAD; exec "$@"' "$shim" "$build/bin/corpus/"$3 \
		> record.out 2>&1
}

# refused NAME MACHINE: checks that the recording `changed` does not fit; the report must say where
refused() {
	"$ktail" check --all "$2.json" changed > report 2> stderr
	[ $? = 1 ] || fail "$1: passes: $(cat report)"
	grep -qE 'does not fit:|ends too early' report || fail "$1: no place: $(cat report)"
	rm -rf changed
	seeded=$((seeded + 1))
}

seeded=0
for name in "${!command[@]}"; do
	for i in 1 2 3 4; do
		record "$name$i" '' "${command[$name]}" || fail "record $name: $(cat record.out)"
	done
	runs 0 '' learn "${name}1" "${name}2" "${name}3" -o "$name.json"
	runs 0 - check "$name.json" "${name}4"
	for i in 4 12 30; do
		for change in drop double late; do
			GATE_SHIM=$change:$i record changed '' "${command[$name]}"
			refused "$name, ioctl $i: $change" "$name"
		done
	done
	GATE_SHIM=class:9 record changed '' "${command[$name]}"
	refused "$name, another class" "$name"
	GATE_SHIM=exit:20 record changed '' "${command[$name]}"
	refused "$name, truncated" "$name"
	GATE_SHIM=kill:20 record changed '' "${command[$name]}"
	refused "$name, killed" "$name"
done
for name in vadd copies graphs streams micro; do
	KTAIL_SOFTGPU_SEED=doorbell:6 record changed '' "${command[$name]}"
	refused "$name, one doorbell more" "$name"
done
for name in vadd copies; do # a doubled submission keeps their results
	KTAIL_SOFTGPU_SEED=submission:6 record changed '' "${command[$name]}"
	refused "$name, a doubled submission" "$name"
done
record changed '--softgpu-driver 1' "${command[graphs]}"
refused 'driver version 1' graphs
record changed '' 'vadd --size 4096 --repeat 4'
refused 'one submission more' vadd
record changed '' 'vadd --size 4096 --repeat 2'
refused 'one submission less' vadd
record changed '' "${command[copies]}"
refused 'another program' vadd
mkdir changed && tar -C changed --zstd -xf "$corpus/drivers/580.159.04/vadd.tar.zst" ./vadd-1.events
refused "a GPU's letters" vadd

# A program with several threads: words of threads.
threads='streams --threads 4'
for i in 1 2 3 4; do
	record "threads$i" '' "$threads" || fail "record $threads: $(cat record.out)"
done
runs 0 'several threads write doorbells' learn --word thread threads1 threads2 threads3 -o threads.json
runs 0 - check threads.json threads4
for change in drop:12 double:12 late:12 class:9 exit:20 kill:20; do
	GATE_SHIM=$change record changed '' "$threads"
	refused "$threads, $change" threads
done

# record --check: the exit status is the program's, or the check's if the program succeeds.
# shellcheck disable=SC2086
{
	runs 0 'the word fits' record --softgpu -o one --check graphs.json -- "$build/bin/corpus/"${command[graphs]}
	runs 1 'the word does not fit' record --softgpu --softgpu-driver 1 --force -o one --check graphs.json -- \
		"$build/bin/corpus/"${command[graphs]}
}
grep -q 'W:reg' stdout && fail 'the report is on the standard output of the program'
runs 7 'no process opened' record -q --softgpu --force -o one --check graphs.json -- sh -c 'exit 7'
runs 125 'absent.json: No such file' record -q --softgpu --force -o one --check absent.json -- true

# Reports for a CI system, and --coverage: transitions of the machine that no recording takes.
record changed '--softgpu-driver 1' "${command[graphs]}"
runs 1 - check --all --coverage graphs.json changed -o report.xml -o report.json -o report.sarif
tr -s ' \n' ' ' < stdout | grep -q ' [0-9]* of [0-9]* transitions of the machine were taken; letters of the others: ' || fail "coverage: $(cat stdout)"
python3 - <<'EOF' || fail "reports: $(cat report.xml)"
import json, xml.etree.ElementTree as tree
report = json.load(open('report.json'))
run = json.load(open('report.sarif'))['runs'][0]
assert sum(r['occurrenceCount'] for r in run['results']) == report['misfits'], run
for result in run['results']:
    assert result['locations'][0]['physicalLocation']['artifactLocation']['uri'] == 'changed', result
    assert result['message']['text'].startswith('W:reg does not fit; expected: '), result
    assert ' UTC, pid ' in result['message']['text'], result
suite = tree.parse('report.xml').getroot()[0]
assert suite.attrib['tests'] == '1' and suite.attrib['failures'] == '1'
failure = suite[0][0]
first = report['words'][0]['listed'][0]['index']
assert failure.attrib['message'].startswith(f'letter {first} does not fit, nor do'), failure.attrib
assert 'does not fit: W:reg' in failure.text
assert report['not_taken'] and all('letter' in t for t in report['not_taken'])
EOF
runs 0 - check --coverage -f xml graphs.json graphs1
grep -q '<testcase classname="graphs.json" name="graphs1/graphs.0"/>' stdout || fail "JUnit: $(cat stdout)"
[ $failures = 0 ] && echo "$seeded seeded changes, all refused"
[ $failures = 0 ]
