#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the scenarios with a recorder that was built with a sanitizer: output and status are
# the same as without it, and there is no report about its code. All use one plain session.
# Usage: test-sanitized.sh COMPILER SANITIZERS BIN LIB SCENARIO...
set -u

here=$(cd "$(dirname "$0")" && pwd)
compiler=$1 sanitizers=$2 bin=$3 lib=$4
shift 4
scratch=$(mktemp -d)
failures=0
ran=0
. "$here/../plain-session.sh"
trap 'plain_session_end; rm -rf "$scratch"' EXIT
ulimit -c 0

# Scenarios that cannot run, and the reason.
declare -A left_out=()
randomised=''
common=handle_segv=0:handle_sigbus=0:handle_sigtrap=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0
case $sanitizers in
*thread*)
	runtime=$("$compiler" -print-file-name=libtsan.so)
	# Ignores reports about LTTng's own locks and about forks of programs with threads.
	# The sanitizer's shadow memory needs the usual addresses.
	export TSAN_OPTIONS=$common:allow_user_segv_handler=1:use_sigaltstack=0:report_signal_unsafe=0:die_after_fork=0:detect_deadlocks=0:exitcode=0
	randomised='setarch -R'
	left_out=(
		[no-mappings-left]='the sanitizer needs mappings of its own, and dies without, bare too'
		[descriptors]='the sanitizer stands between LTTng and the recorder, which does not know its calls then'
		[second-names]='the sanitizer stands between LTTng and the recorder, which does not know its calls then'
		[first-thread-leaves]='the sanitizer stands between LTTng and the recorder, which does not know its calls then'
		[clone]='the sanitizer holds the lock of its threads from clone() on until the function that it is given runs; LTTng starts its own before'
		[signal-step]='does not end under the sanitizer, bare either'
		[signal-timer]='does not end under the sanitizer, bare either'
		[call-filter]='the sanitizer calls what the filters refuse, bare too'
		[doorbell-storm]='does not end, bare either: the sanitizer keeps signals back until a call into libc'
		[signal-storm]='does not end, bare either: the sanitizer keeps signals back until a call into libc'
		[signal-alarm]='does not end: the sanitizer keeps signals back until a call into libc'
	)
	;;
*address*)
	runtime=$("$compiler" -print-file-name=libasan.so)
	export ASAN_OPTIONS=$common:allow_user_segv_handler=1:use_sigaltstack=0:detect_leaks=0:verify_asan_link_order=0
	left_out=(
		[descriptors]='the sanitizer stands between LTTng and the recorder, which does not know its calls then'
		[second-names]='the sanitizer stands between LTTng and the recorder, which does not know its calls then'
		[first-thread-leaves]='the sanitizer stands between LTTng and the recorder, which does not know its calls then'
		[no-mappings-left]='the sanitizer needs mappings of its own, and dies without, bare too'
		[call-filter]='the sanitizer calls what the filters refuse, bare too'
	)
	;;
*) echo "nothing to do for $sanitizers"; exit 77 ;;
esac
[ -f "$runtime" ] || {
	echo "no runtime of $sanitizers beside $compiler"
	exit 77
}

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# The group's standard error receives only bash's report of an intended death.
run() { # PRELOAD SCENARIO OUT ERR
	: >"$3" && : >"$4" || return
	{
		LTTNG_UST_REGISTER_TIMEOUT=-1 LTTNG_UST_ALLOW_BLOCKING=1 timeout -k 1 120 \
			$randomised sh -c "export LD_PRELOAD=$1; exec $bin/$2" >"$3" 2>"$4"
	} 2>/dev/null
}

# Prints the recorder's files that a report names as stack frames; places where memory was allocated
# do not count.
reported() {
	grep -E '^SUMMARY: .*/collect/[a-z-]+\.c|runtime error:' "$1" | grep -v '/tests/'
}

plain_session_begin --subbuf-size=65536 --num-subbuf=4 --blocking-timeout=100000 || {
	echo "FAILED: lttng"
	exit 1
}
# compare PROGRAM: runs it without and with the recorder.
compare() {
	run "$runtime:$lib/libfake-driver.so" "$1" "$scratch/bare" "$scratch/bare.err"
	bare=$?
	[ "$bare" != 124 ] || fail "$1: it does not end without the recorder"
	run "$runtime:$lib/libktail-record.so:$lib/libfake-driver.so" "$1" \
		"$scratch/out" "$scratch/err"
	recorded=$?
	if [ "$bare" != "$recorded" ]; then
		fail "$1: status $recorded, not $bare"
		head -n 40 "$scratch/err"
	fi
	cmp "$scratch/bare" "$scratch/out" || fail "$1: its output differs"
	if reported "$scratch/err" | sort | uniq -c; [ -n "$(reported "$scratch/err")" ]; then
		fail "$1: the sanitizer reported an error"
		head -n 60 "$scratch/err"
	fi
	ran=$((ran + 1))
}

for scenario in "$@"; do
	if [ -n "${left_out[$scenario]:-}" ]; then
		echo "left out: $scenario: ${left_out[$scenario]}"
		continue
	fi
	compare "scenario-$scenario"
done
# All ways to get functions of the APIs, with stand-ins for their libraries.
export LD_LIBRARY_PATH=$lib/stand-in API_PLUGIN=$lib/stand-in/libapi-plugin.so \
	API_LINKED=$lib/stand-in/libapi-linked.so KTAIL_RECORD_API=wrap
compare api-ways
LD_LIBRARY_PATH=$lib/stand-in-khronos
compare api-khronos
echo "$ran scenarios ran with $sanitizers, ${#left_out[@]} left out"
[ "$failures" = 0 ]
