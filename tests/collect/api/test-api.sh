#!/bin/sh
# SPDX-License-Identifier: MIT
# ktail record --api=wrap: programs behave and print as without it, each call has its end,
# the coverage has all calls, and the letters are those of --api=none. Usage: test-api.sh
# BIN LIB (of the build)
set -u

here=$(cd "$(dirname "$0")" && pwd)
bin=$1
lib=$2
scratch=$(mktemp -d)
failures=0
. "$here/../counters.sh"
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"
trap 'rm -rf "$scratch"' EXIT
stand_in=$lib/stand-in
API_PLUGIN=$stand_in/libapi-plugin.so
API_LINKED=$stand_in/libapi-linked.so
API_EARLY=$stand_in/libapi-early.so
export API_PLUGIN API_LINKED API_EARLY

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# record NAME OPTIONS -- COMMAND...: checks that the output is the same as without the
# recorder and that nothing is lost. Writes the events to NAME.txt.
record() {
	name=$1
	options=$2
	shift 3
	# shellcheck disable=SC2086
	"$bin/ktail-record" -v --subbuf-size 262144 --num-subbuf 4 $options -o "$scratch/$name" -- \
		"$@" >"$scratch/$name.out" 2>"$scratch/$name.err" || fail "$name: status $?"
	grep -q ' 0 lost' "$scratch/$name.err" && has_counters "$scratch/$name.err" '0 fragments' ||
		fail "$name: $(cat "$scratch/$name.err")"
	babeltrace2 "$scratch/$name" >"$scratch/$name.txt" || fail "$name: its trace"
}

# calls NAME N OPEN: checks that there are N calls, all well nested, OPEN of them without an
# end.
calls() {
	got=$(awk -f "$here/check-calls.awk" "$scratch/$1.txt")
	case $got in
	"calls $2 covered $2 open $3 threads "*) ;;
	*) fail "$1: $got" ;;
	esac
	summed=$(counter "$scratch/$1.err" 'API calls')
	[ "$summed" = "$2" ] || fail "$1: the summary says '$summed' calls"
}

covered() { # NAME FUNCTION STATE HOW
	grep -q "api_coverage:.* name = \"$2\", state = \"$3\", how = \"$4\"" \
		"$scratch/$1.txt" || fail "$1: $2 is not $3 by $4"
}

# --- all ways to get a function; the program prints the same with and without the recorder
# ---
in_folder() {
	env LD_LIBRARY_PATH="$stand_in" "$@"
}
in_folder "$bin/api-ways" >"$scratch/bare" || fail "ways: bare"
for mode in none wrap; do
	record "ways-$mode" "--api=$mode" -- env LD_LIBRARY_PATH="$stand_in" "$bin/api-ways"
	cmp "$scratch/bare" "$scratch/ways-$mode.out" || fail "ways, $mode: its output differs"
done
! grep -q 'gpu_stack:api_' "$scratch/ways-none.txt" || fail "none: there are calls"
calls ways-wrap 1241 1
covered ways-wrap cuTest1 wrapped dlsym
covered ways-wrap cuTest2 wrapped import
covered ways-wrap cuTestTwice_v2 wrapped cuGetProcAddress
covered ways-wrap cuTestHidden wrapped cuGetProcAddress
covered ways-wrap cuTest1 past 'dlsym(RTLD_NEXT)'
covered ways-wrap cuTest2 past 'dlsym(RTLD_DEFAULT)'
covered ways-wrap export-table\ 30313233-3435-3637-3839-616263646566 past cuGetExportTable
grep -q 'name = "-", state = "unseen", how = "-", calls = 1[0-9] ' "$scratch/ways-wrap.txt" ||
	fail "ways: unobserved functions"
has_counters "$scratch/ways-wrap.err" '4 bypassed entry points' '1 export tables' \
	'1[0-9] unobserved entry points' || fail "ways: $(cat "$scratch/ways-wrap.err")"
grep -q 'api = "wrap"' "$scratch/ways-wrap.txt" || fail "ways: process_begin has a wrong mode"

# --- the library is unloaded before the program ends ---
in_folder "$bin/api-ways" closed >"$scratch/bare" || fail "closed: bare"
record closed --api=wrap -- env LD_LIBRARY_PATH="$stand_in" "$bin/api-ways" closed
cmp "$scratch/bare" "$scratch/closed.out" || fail "closed: its output differs"
calls closed 1 0
has_counters "$scratch/closed.err" '1 wrapped entry points' '0 bypassed entry points' \
	'0 export tables' '2[0-9] unobserved entry points' || fail "closed: $(cat "$scratch/closed.err")"

# --- an exec that fails: its calls are reported once ---
in_folder "$bin/api-ways" vain >"$scratch/bare" || fail "vain: bare"
record vain --api=wrap -- env LD_LIBRARY_PATH="$stand_in" "$bin/api-ways" vain
cmp "$scratch/bare" "$scratch/vain.out" || fail "vain: its output differs"
calls vain 2 0

# --- threads that are cancelled at any time ---
in_folder "$bin/api-ways" cancelled >"$scratch/bare" || fail "cancelled: bare"
record cancelled --api=wrap -- env LD_LIBRARY_PATH="$stand_in" timeout -s KILL 30 \
	"$bin/api-ways" cancelled
if grep -q '^cancelled: ' "$scratch/cancelled.out"; then
	cmp "$scratch/bare" "$scratch/cancelled.out" ||
		fail "cancelled: $(tail -n 1 "$scratch/cancelled.out"), not $(tail -n 1 "$scratch/bare")"
else
	fail "cancelled: it hangs or was killed: $(cat "$scratch/cancelled.out" "$scratch/cancelled.err")"
fi

# --- programs that are linked with the driver's library ---
for program in now lazy fixed; do
	in_folder "$bin/api-program-$program" >"$scratch/bare"
	record "$program" --api=wrap -- env LD_LIBRARY_PATH="$stand_in" \
		"$bin/api-program-$program"
	cmp "$scratch/bare" "$scratch/$program.out" || fail "$program: its output differs"
	calls "$program" 4 0
	covered "$program" cuTest2 wrapped import
done

# --- exceptions of C++, if there is a C++ compiler ---
if [ -x "$bin/api-throws" ]; then
	in_folder "$bin/api-throws" >"$scratch/bare" || fail "throws: bare"
	record throws --api=wrap -- env LD_LIBRARY_PATH="$stand_in" "$bin/api-throws"
	cmp "$scratch/bare" "$scratch/throws.out" || fail "throws: its output differs"
	grep -q 'api_enter:.*cuTestCallback' "$scratch/throws.txt" || fail "throws: no call is recorded"
fi

# --- EGL, OpenGL, OpenCL and Vulkan: all lookup functions ---
of_khronos() {
	env LD_LIBRARY_PATH="$lib/stand-in-khronos" "$@"
}
of_khronos "$bin/api-khronos" >"$scratch/bare" || fail "khronos: bare"
record khronos '--api=wrap --api-calls=all' -- env LD_LIBRARY_PATH="$lib/stand-in-khronos" "$bin/api-khronos"
cmp "$scratch/bare" "$scratch/khronos.out" || fail "khronos: its output differs"
calls khronos 30 0
covered khronos eglInitialize wrapped eglGetProcAddress
covered khronos glClear wrapped eglGetProcAddress
covered khronos glDrawArrays wrapped glXGetProcAddress
covered khronos vkCreateDevice wrapped vkGetInstanceProcAddr
covered khronos vkGetDeviceProcAddr wrapped vkGetInstanceProcAddr
covered khronos vkQueueSubmit wrapped vkGetDeviceProcAddr
covered khronos clEnqueueNDRangeKernel wrapped clGetExtensionFunctionAddress
covered khronos clFinish wrapped dlsym
covered khronos glFlush wrapped import
covered khronos glClear past 'dlsym(RTLD_DEFAULT)'
! grep -q 'name = "\(glTestNone\|clearenv\)"' "$scratch/khronos.txt" ||
	fail "khronos: a function of no table"
# The driver's glFlush, which eglSwapBuffers calls, is not recorded; the import is.
[ "$(grep -c 'api_enter:.* name = "glFlush"' "$scratch/khronos.txt")" = 1 ] ||
	fail "khronos: a call of the driver"
# The program's own glClear is not recorded.
[ "$(grep -c 'api_enter: .*api = "opengl", name = "glClear"' "$scratch/khronos.txt")" = 2 ] ||
	fail "khronos: its own glClear"
for result in 'name = "clFinish".* known = 1, result = -36,' 'name = "glClear".* known = 0, result = 0,' \
	'name = "vkQueueSubmit".* known = 1, result = 1010,'; do
	grep -q "api_exit:.*$result" "$scratch/khronos.txt" || fail "khronos: not $result"
done
grep -q 'name = "glClear",.*arguments_length = 1, arguments = \[ \[0\] = 0x7 \]' \
	"$scratch/khronos.txt" || fail "khronos: arguments of glClear"

# --- the software GPU: the same letters ---
#
# Except reads: how often a program polls depends on the speed of the GPU's thread.
letters() { # NAME: the words of the trace, in one file
	"$bin/ktail" words "$scratch/$1" -o "$scratch/$1.words" || fail "$1: no words"
	cat "$scratch/$1.words"/*.events | grep -v -e '^#' -e '^R:'
}
for workload in vadd 'graphs --nodes 10 --launches 3' 'streams --streams 2 --rounds 2'; do
	load=${workload%% *}
	for mode in none wrap; do
		all=
		[ "$mode" = none ] || all=--api-calls=all
		# shellcheck disable=SC2086
		record "$load-$mode" "--softgpu --api=$mode $all" -- "$bin/corpus/"$workload
		grep -q 'ok$' "$scratch/$load-$mode.out" || fail "$load, $mode: it is wrong"
		letters "$load-$mode" >"$scratch/$load-$mode.letters"
	done
	cmp "$scratch/$load-none.letters" "$scratch/$load-wrap.letters" ||
		fail "$load: other letters with --api=wrap"
	n=$(grep -c 'gpu_stack:api_enter:' "$scratch/$load-wrap.txt")
	[ "$n" -gt 20 ] || fail "$load: $n calls"
	calls "$load-wrap" "$n" 0
done
for call in cuInit cuMemAlloc_v2 cuMemcpyHtoD_v2 cuLaunchKernel cuMemcpyDtoH_v2; do
	grep -q "api_exit:.*name = \"$call\".* known = 1, result = 0," "$scratch/vadd-wrap.txt" ||
		fail "vadd: no $call that worked"
done

# Names of kernels, before the end of the call that gives a handle.
grep -A1 'gpu_stack:api_kernel:.* of = 0x0, name = "vector_add"' "$scratch/vadd-wrap.txt" |
	grep -q 'gpu_stack:api_exit:.*name = "cuModuleGetFunction"' || fail "vadd: no name of its kernel"

record soft '--softgpu --api=wrap --api-calls=all' -- "$bin/api-soft"
grep -qx ok "$scratch/soft.out" || fail "soft: $(cat "$scratch/soft.out")"
calls soft 12 0
covered soft cuInit wrapped import
covered soft cuMemAlloc_v2 wrapped cuGetProcAddress

# --- which calls are traced, and which are counted ---
for choice in all work cuMemAlloc,cuGetProcAddress_v2,cuDeviceGet; do
	name=soft-${choice%%,*}
	record "$name" "--softgpu --api=wrap --api-calls=$choice" -- "$bin/api-soft"
	sed -n 's/.*api_coverage:.* name = "\([^"]*\)", state = "\(wrapped\|counted\)".* calls = \([0-9]*\) .*/\2 \1 \3/p' \
		"$scratch/$name.txt" | LC_ALL=C sort | sed "s/^/$choice /" >>"$scratch/choices"
	grep -q "detail = \"[^\"]* api=wrap api-calls=$choice pin" "$scratch/$name.txt" ||
		fail "$name: the trace does not say its choice"
	letters "$name" >"$scratch/$name.letters"
	cmp "$scratch/soft-all.letters" "$scratch/$name.letters" || fail "$name: other letters"
done
diff "$here/choices.txt" "$scratch/choices" || fail "soft: other functions are traced"
calls soft-work 11 0
calls soft-cuMemAlloc 7 0
grep -q '^ktail: counted 1 API call without tracing it (--api-calls=work)' "$scratch/soft-work.err" ||
	fail "soft-work: $(cat "$scratch/soft-work.err")"

# Names of kernels without the calls that give them.
record kernels '--softgpu --api=wrap --api-calls=cuLaunchKernel' -- "$bin/corpus/vadd"
calls kernels 1 0
grep -q 'gpu_stack:api_kernel:.* correlation = 0, .* name = "vector_add"' "$scratch/kernels.txt" ||
	fail "kernels: no name"

[ "$failures" = 0 ] && echo "all as expected"
[ "$failures" = 0 ]
