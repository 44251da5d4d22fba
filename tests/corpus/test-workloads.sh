#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests results, options, errors and exit statuses of every workload on the fake driver, which also
# checks that all objects are freed.
# Usage: test-workloads.sh FOLDER-OF-WORKLOADS FOLDER-OF-FAKE-LIBCUDA FAKE-LOADER
set -u
bin=$1
fake=$2
fake_loader=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
workloads='vadd copies streams graphs microbench corpus-info'
khronos='opencl vulkan opengl'

fail() {
	echo "FAIL: $*"
	sed 's/^/  stdout: /' "$work/out"
	sed 's/^/  stderr: /' "$work/err"
	failures=$((failures + 1))
}

# run STATUS COMMAND...: runs the command and checks its exit status.
run() {
	expected=$1
	shift
	program=$1
	shift
	"$bin/$program" "$@" >"$work/out" 2>"$work/err"
	status=$?
	[ "$status" -eq "$expected" ] || fail "$program $*: status $status, not $expected"
}

# on_fake STATUS COMMAND...: like run, with the fake driver.
on_fake() {
	LD_LIBRARY_PATH=$fake
	export LD_LIBRARY_PATH
	run "$@"
	unset LD_LIBRARY_PATH
}

# right LINES COMMAND...: checks that the command succeeds on the fake driver, that it prints
# exactly LINES lines, each of which ends with "ok", and that a second run prints the same.
right() {
	lines=$1
	shift
	on_fake 0 "$@"
	[ "$(grep -c ': ok$' "$work/out")" -eq "$lines" ] || fail "$*: not $lines lines of ok"
	[ "$(wc -l <"$work/out")" -eq "$lines" ] || fail "$*: not $lines lines"
	[ ! -s "$work/err" ] || fail "$*: wrote to standard error"
	mv "$work/out" "$work/first"
	on_fake 0 "$@"
	cmp -s "$work/first" "$work/out" || fail "$*: the second run printed something else"
}

# says TEXT: checks that standard error of the last run contains TEXT.
says() {
	grep -qF -- "$1" "$work/err" || fail "standard error lacks '$1'"
}

# Help and invalid arguments do not require a driver.
for program in $workloads $khronos; do
	run 0 "$program" --help
	grep -q '^usage: ' "$work/out" || fail "$program --help: no usage"
	run 2 "$program" --no-such-option
	says "$program: unknown option --no-such-option"
	run 2 "$program" operand
	says "$program: unexpected argument 'operand'"
	[ ! -s "$work/out" ] || fail "$program operand: wrote to standard output"
done
run 2 vadd --size 0
says "vadd: --size must be a whole number from 1"
run 2 vadd --size
run 2 copies --memory wet
says "--memory must be one of pageable pinned registered, not 'wet'"
run 2 copies --sizes 4,,5
says "each of --sizes must be a whole number from 1 to 4194304, not ''"
run 2 copies --sizes 4,
run 2 copies --sizes 4194305
run 2 copies --sizes "$(seq -s , 129)"
says 'more than 128 sizes'
run 2 microbench --kind nothing
run 2 microbench --contexts 17
run 2 streams --threads 0
run 2 graphs --nodes many
run 2 opencl --repeat 0
run 2 vulkan --size 4194305
run 2 opengl --size 3
run 0 corpus-info --ptx
grep -q '^\.target sm_52$' "$work/out" || fail "corpus-info --ptx: no target"
[ "$(grep -c '^\.visible \.entry' "$work/out")" -eq 3 ] || fail "corpus-info --ptx: not 3 kernels"

# Without a usable driver: an empty libcuda.so.1 hides a real one.
mkdir "$work/none"
: >"$work/none/libcuda.so.1"
for program in $workloads; do
	LD_LIBRARY_PATH=$work/none
	export LD_LIBRARY_PATH
	run 77 "$program"
	says "$program: load libcuda.so.1: "
	unset LD_LIBRARY_PATH
	[ ! -s "$work/out" ] || fail "$program: wrote to standard output without a driver"
done

# without LIBRARY PROGRAM: the program has no LIBRARY, then one with other functions; all other
# libraries are the fake loader.
without() {
	rm -rf "$work/loaders"
	mkdir "$work/loaders"
	for library in libOpenCL.so.1 libvulkan.so.1 libEGL.so.1 libGLESv2.so.2; do
		ln -s "$fake_loader" "$work/loaders/$library"
	done
	LD_LIBRARY_PATH=$work/loaders
	export LD_LIBRARY_PATH
	rm "$work/loaders/$1"
	: >"$work/loaders/$1"
	run 77 "$2"
	says "$2: load $1: "
	ln -sf "$fake/libcuda.so.1" "$work/loaders/$1"
	run 1 "$2"
	grep -q "^$2: find [a-z]*[A-Z][A-Za-z]* in $1: not found$" "$work/err" ||
		fail "$2: does not name the missing function of $1"
	ln -sf "$fake_loader" "$work/loaders/$1"
	run 77 "$2" --any
	unset LD_LIBRARY_PATH
}
without libOpenCL.so.1 opencl
says 'opencl: clGetPlatformIDs: no platform'
without libvulkan.so.1 vulkan
says 'vulkan: vkCreateInstance: no driver'
for library in libEGL.so.1 libGLESv2.so.2; do
	without "$library" opengl
	says 'opengl: eglGetProcAddress: no EGL_EXT_device_enumeration'
done

# Without a device, and with a failing driver.
FAKE_CUDA_DEVICES=0
export FAKE_CUDA_DEVICES
for program in $workloads; do
	on_fake 77 "$program"
	says "$program: cuInit: CUDA_ERROR_NO_DEVICE (100)"
done
unset FAKE_CUDA_DEVICES
FAKE_CUDA_FAIL=cuMemAlloc_v2:2
export FAKE_CUDA_FAIL
for program in vadd copies streams graphs microbench; do
	on_fake 1 "$program"
	says "$program: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)"
done
FAKE_CUDA_FAIL=cuInit:999
on_fake 1 vadd
says 'vadd: cuInit: unknown error (999)'
unset FAKE_CUDA_FAIL

# Wrong results are detected.
FAKE_CUDA_WRONG=1
export FAKE_CUDA_WRONG
for program in vadd copies graphs microbench; do
	on_fake 1 "$program"
	grep -q ': wrong$' "$work/out" || fail "$program: does not say that it is wrong"
done
unset FAKE_CUDA_WRONG

# Results are correct, and everything is freed.
right 1 vadd
right 1 vadd --size 1
right 1 vadd --size 1000001 --repeat 2
for memory in pageable pinned registered; do
	right 18 copies --memory "$memory"
	grep -q ' 24576 bytes' "$work/out" || fail "copies: 24576 bytes are missing"
	grep -q ' 24577 bytes' "$work/out" || fail "copies: 24577 bytes are missing"
done
right 9 copies --max 24577 --repeat 3
right 3 copies --memory pinned --sizes 4194304,1,24577 --repeat 2 --marks
right 128 copies --sizes "$(seq -s , 128)"
right 1 copies --sizes 16,4096 --max 16
on_fake 0 copies --sizes 16,5 --repeat 3 --times
[ "$(grep -cE '^copies: (to|from)-device, (16|5) bytes: 3 calls, median [0-9]+ ns, p99 [0-9]+ ns$' \
	"$work/err")" -eq 4 ] || fail "copies --times: not four lines of times"
right 1 streams
right 1 streams --streams 1 --rounds 1 --size 1
right 1 streams --blocking --streams 64
right 3 streams --threads 3
for nodes in 1 10 50; do
	right 1 graphs --nodes "$nodes"
done
right 1 graphs --nodes 3 --launches 1 --size 1000
right 1 graphs --nodes 7 --launches 2 --marks
right 1 graphs --nodes 7 --launches 2 --upload --marks
on_fake 0 graphs --launches 4 --upload --times
cat >"$work/expected" <<'TEXT'
graphs: instantiation: 1 calls
graphs: upload: 1 calls
graphs: first launch: 1 calls
graphs: repeated launches: 3 calls
TEXT
sed 's/, median [0-9]* ns, p99 [0-9]* ns$//' "$work/err" | cmp -s - "$work/expected" ||
	fail "graphs --times: not the times expected"
on_fake 0 microbench --times
says 'microbench: 10 requests, median '
for kind in compute h2d d2h mixed; do
	right 1 microbench --kind "$kind"
	right 8 microbench --kind "$kind" --contexts 2 --streams 4 --requests 7
	right 1 microbench --kind "$kind" --requests 1 --length 5 --wait
done
on_fake 0 corpus-info
grep -qx 'gpu=Fake "GPU" 1' "$work/out" || fail "corpus-info: no gpu"
grep -qx 'compute=9.0' "$work/out" || fail "corpus-info: no compute capability"
grep -qx 'cuda=13.0' "$work/out" || fail "corpus-info: no CUDA version"

[ "$failures" -eq 0 ]
