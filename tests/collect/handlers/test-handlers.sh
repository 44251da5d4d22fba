#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs scenarios in a real LTTng session with traps for every function that the recorder's
# signal handlers must not call. Usage: test-handlers.sh BIN LIB VARIANT-LIB
set -u

here=$(cd "$(dirname "$0")" && pwd)
bin=$1 lib=$2 variant=$3
scratch=$(mktemp -d)
failures=0
. "$here/../plain-session.sh"
trap 'plain_session_end; rm -rf "$scratch"' EXIT

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# run SCENARIO [VARIABLE=VALUE...]: runs it with recorder and traps; output to $scratch/out and err
run() {
	scenario=$1
	shift
	timeout -k 2 20 env "$@" KTAIL_PROBE_REPORT=1 LTTNG_UST_REGISTER_TIMEOUT=-1 LTTNG_UST_ALLOW_BLOCKING=1 \
		LD_PRELOAD="$variant/libktail-record.so:$lib/libhandler-traps.so:$lib/libfake-driver.so" \
		"$bin/scenario-$scenario" >"$scratch/out" 2>"$scratch/err"
}

check() { # SCENARIO [VARIABLE=VALUE...]
	LD_PRELOAD=$lib/libfake-driver.so "$bin/scenario-$1" >"$scratch/bare" 2>/dev/null
	bare=$?
	run "$@"
	recorded=$?
	[ "$bare" = "$recorded" ] || fail "$*: status $recorded, not $bare"
	cmp "$scratch/bare" "$scratch/out" || fail "$*: its output differs"
	grep 'handler trap' "$scratch/err" && fail "$*: a handler called a forbidden function"
	grep -q 'handler entries: 0*[1-9]' "$scratch/err" ||
		fail "$*: no handler was entered: $(cat "$scratch/err")"
}

# Small buffers and a blocking channel: a handler also meets a full buffer.
plain_session_begin --subbuf-size=4096 --num-subbuf=2 --blocking-timeout=100000 || {
	echo "FAILED: lttng"
	exit 1
}
for scenario in submit thread signal-own-handler one-load-two-mappings odd-requests fork-mid-write ring; do
	check "$scenario"
	check "$scenario" KTAIL_RECORD_DOORBELL=off
	check "$scenario" KTAIL_RECORD_DOORBELL=protect
	check "$scenario" KTAIL_RECORD_DOORBELL=patch
	check "$scenario" KTAIL_RECORD_ACCESS=exact
	# The variant gives up detail at the end of its first handlers.
	check "$scenario" KTAIL_RECORD_OVERHEAD=1
	check "$scenario" KTAIL_RECORD_OVERHEAD=1 KTAIL_RECORD_DOORBELL=patch KTAIL_RECORD_RINGS=stores
done

# The traps must work: an allocating handler is reported.
run submit KTAIL_PROBE_BREAK=1
grep -q 'handler trap: malloc' "$scratch/err" || fail "an allocation in a handler is not noticed"

[ "$failures" = 0 ] && echo "nothing unsafe in the handlers"
[ "$failures" = 0 ]
