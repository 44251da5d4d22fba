#!/bin/sh
# SPDX-License-Identifier: MIT
# Records a program on stand-ins for libcuda and libcupti with --api=cupti and checks its
# events; then checks the warnings if CUPTI is not available. Usage: test-cupti.sh BIN LIB
# STAND-INS
set -u

here=$(cd "$(dirname "$0")" && pwd)
bin=$1
lib=$2
stand_ins=$3
cupti=$stand_ins/cupti/libcupti.so.12
scratch=$(mktemp -d)
failures=0
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# record NAME PATTERN [VARIABLE=VALUE...] -- [OPTION...] -- ARGUMENT...: records the player; the
# summary must match PATTERN.
record() {
	name=$1
	pattern=$2
	shift 2
	set -- "$@" end
	assignments=''
	while [ "$1" != -- ]; do
		assignments="$assignments $1"
		shift
	done
	shift
	options=''
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	arguments=''
	while [ "$1" != end ]; do
		arguments="$arguments $1"
		shift
	done
	# shellcheck disable=SC2086
	env $assignments "$bin/ktail-record" -v --subbuf-size 65536 --num-subbuf 4 $options \
		-o "$scratch/$name" -- "$bin/cupti-player" $arguments \
		>"$scratch/$name.out" 2>"$scratch/$name.err"
	status=$?
	[ "$status" = 0 ] && grep -q -x 'done' "$scratch/$name.out" ||
		fail "$name: status $status: $(cat "$scratch/$name.out" "$scratch/$name.err")"
	grep -q -e "$pattern" "$scratch/$name.err" ||
		fail "$name: no '$pattern' in: $(cat "$scratch/$name.err")"
}

# Prints the API events of a trace: EVENT NAME, arguments or result. Addresses are masked.
api_events() {
	babeltrace2 "$1" | awk -f "$here/api-events.awk"
}

# Every correlation has one entry and one exit on the same thread, except those listed.
record works ' 1  CUPTI processes  ' -- --api=cupti --cupti "$cupti" --
api_events "$scratch/works" | diff -u "$here/works.txt" - || fail "works: events differ"
babeltrace2 "$scratch/works" | grep 'gpu_stack:process_begin' | grep -q 'api = "cupti"' ||
	fail "works: process_begin has a wrong mode"

# Queries are counted and not traced; or they are, or functions are named.
traced() { # NAME: the functions that are traced
	api_events "$scratch/$1" | sed -n 's/^enter \([^ ]*\) .*/\1/p' | sort | uniq -c | tr -s ' \n' ' '
}
grep -q '^ *2  counted API calls' "$scratch/works.err" && grep -q \
	'^ktail: counted 2 API calls without tracing them (--api-calls=work)' "$scratch/works.err" ||
	fail "works: $(cat "$scratch/works.err")"
record all ' 0  counted API calls' -- --api=cupti --api-calls=all --cupti "$cupti" --
[ "$(traced all)" = ' 2 cuCtxGetDevice 1 cuCtxSynchronize 1 cuLaunchHostFunc 1 cuMemAlloc_v2 2 cuMemFree_v2 1 cuMemcpyHtoD_v2 1 cudaMemcpy_v3020 ' ] ||
	fail "all: $(traced all)"
record names ' 6  counted API calls' -- --api=cupti --api-calls=cudaMemcpy,cuCtxGetDevice --cupti "$cupti" --
[ "$(traced names)" = ' 2 cuCtxGetDevice 1 cudaMemcpy_v3020 ' ] || fail "names: $(traced names)"

# Nested more deeply than is supported: the rest is counted. One of 64 has not returned.
record deep '7 API calls nested too deeply' -- --api=cupti --cupti "$cupti" -- deep
[ "$(api_events "$scratch/deep" | grep -c '^enter cuRecurse')" = 63 ] ||
	fail "deep: $(api_events "$scratch/deep" | grep -c '^enter cuRecurse') calls"
[ "$(api_events "$scratch/deep" | grep -c '^exit cuRecurse')" = 63 ] ||
	fail "deep: $(api_events "$scratch/deep" | grep -c '^exit cuRecurse') returns"

# CUPTI is found by the loader, or by the given file name. A relative path is relative to ktail
# record's folder.
record loader ' 1  CUPTI processes  ' "LD_LIBRARY_PATH=$stand_ins/cupti" -- \
	--api=cupti --
record name ' 1  CUPTI processes  ' "LD_LIBRARY_PATH=$stand_ins/cupti" -- \
	--api=cupti --cupti libcupti.so.12 --

# CUPTI is already loaded by the process.
record loaded ' 1  CUPTI processes  ' "LD_PRELOAD=$cupti" -- --api=cupti --

# CUPTI is found next to the libcudart that the process has loaded, as in Python's packages and in
# the toolkit's folders. Files that are not libraries, or do not have the functions, are skipped.
runtime() { # NAME FOLDER-OF-CUDART FOLDER-OF-CUPTI
	place=$scratch/places/$1
	mkdir -p "$place/$2" "$place/$3"
	cp "$cupti" "$place/$2/libcudart.so.12" && cp "$cupti" "$place/$3/libcupti.so.12"
	echo nothing >"$place/$3/libcupti.so.13"
	record "$1" ' 1  CUPTI processes  ' \
		"LD_PRELOAD=$place/$2/libcudart.so.12" -- --api=cupti --
}
runtime python nvidia/cuda_runtime/lib nvidia/cuda_cupti/lib
runtime python-13 nvidia/cu13/lib nvidia/cu13/lib
runtime toolkit cuda/lib64 cuda/extras/CUPTI/lib64
runtime targets cuda/targets/x86_64-linux/lib cuda/extras/CUPTI/lib64

# The program continues, and no API event is recorded.
for how in 'held:another tool uses CUPTI' 'refuse:CUPTI refused (error 15)' \
	'half:CUPTI refused (error 999)'; do
	record "${how%%:*}" "no API calls in 1 process: ${how#*:}" \
		"STAND_IN_CUPTI=${how%%:*}" -- --api=cupti --cupti "$cupti" --
	[ -z "$(api_events "$scratch/${how%%:*}")" ] || fail "${how%%:*}: there are events"
done
record missing 'libcupti.so was not found' -- --api=cupti --cupti libno-such-cupti.so --
record other 'CUPTI refused' -- --api=cupti --cupti "$lib/libktail-gpu-stack.so" --
if "$bin/ktail-record" --subbuf-size 65536 --num-subbuf 4 --api=cupti -o "$scratch/without" \
	-- true 2>"$scratch/without.err"; then
	grep -q 'no process initialized a libcuda' "$scratch/without.err" ||
		fail "without: $(cat "$scratch/without.err")"
else
	fail "without: $(cat "$scratch/without.err")"
fi

# Without the option nothing is recorded.
record none 'events, 0 lost' -- --
[ -z "$(api_events "$scratch/none")" ] || fail "none: there are events"
! grep -q -i cupti "$scratch/none.err" || fail "none: $(cat "$scratch/none.err")"

# The user's own injected library is kept.
if CUDA_INJECTION64_PATH=/opt/tool.so "$bin/ktail-record" --api=cupti -o "$scratch/own" -- true \
	>"$scratch/own.err" 2>&1; then
	fail "own: it ran"
fi
grep -q 'CUDA_INJECTION64_PATH is already set to /opt/tool.so' "$scratch/own.err" ||
	fail "own: $(cat "$scratch/own.err")"
if "$bin/ktail-record" --api=cupti --cupti ./no/such/file -o "$scratch/no" -- true \
	>"$scratch/no.err" 2>&1; then
	fail "no: it ran"
fi
grep -q 'find ./no/such/file: ' "$scratch/no.err" || fail "no: $(cat "$scratch/no.err")"

# Without the recorder the library has no effect on a program.
CUDA_INJECTION64_PATH=$lib/libktail-cupti.so KTAIL_RECORD_CUPTI=$cupti "$bin/cupti-player" \
	>"$scratch/alone.out" 2>&1 && grep -q -x 'done' "$scratch/alone.out" ||
	fail "alone: $(cat "$scratch/alone.out")"

exit $((failures > 0))
