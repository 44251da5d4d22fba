#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs scenarios under the recorder's fault-injection variant, once for each call that can
# fail: the program must behave as without the recorder, and each loss must be counted.
# Usage: test-faults.sh BIN LIB VARIANT-LIB
set -u

here=$(cd "$(dirname "$0")" && pwd)
bin=$1 lib=$2 variant=$3
header=$here/../../../collect/preload/process/counters.h
scratch=$(mktemp -d)
failures=0
runs=0
most=100000 # limit of calls for each site
. "$here/../plain-session.sh"
trap 'plain_session_end; rm -rf "$scratch"' EXIT

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# Prints the shared page as lines "NAME VALUE", in the order of its struct.
counters() {
	sed -n 's/^[[:space:]]*_Atomic uint64_t \([a-z_]*\);.*/\1/p' "$header" >"$scratch/names"
	od -An -v -w8 -tu8 "$scratch/counters" | tr -d ' ' | paste -d' ' "$scratch/names" - |
		grep '^[a-z]'
}

# Prints those of the counters that count failures.
troubles() {
	counters | grep -vE '^(device_users|events|doorbells|channels|faults|emulated|windows|stepped|held|begun|held_ns|api_wrapped|api_unseen|api_calls) ' | sort
}

# Programs that call the stand-in for libcuda have no "scenario-" in their names.
LD_LIBRARY_PATH=$lib/stand-in
export LD_LIBRARY_PATH
program() { # SCENARIO
	case $1 in
	api-*) echo "$bin/$1" ;;
	*) echo "$bin/scenario-$1" ;;
	esac
}

# run SCENARIO [VARIABLE=VALUE...]
run() {
	name=$1
	shift
	rm -f "$scratch/counters"
	timeout -k 2 20 "$bin/with-counters" "$scratch/counters" env \
		LTTNG_UST_REGISTER_TIMEOUT=-1 "$@" \
		LD_PRELOAD="$variant/libktail-record.so:$lib/libfake-driver.so" \
		"$(program "$name")" >"$scratch/out" 2>"$scratch/err"
}

sweep() { # SCENARIO [VARIABLE=VALUE...]
	what=$*
	LD_PRELOAD=$lib/libfake-driver.so "$(program "$1")" >"$scratch/bare" 2>"$scratch/bare.err"
	bare=$?
	rm -f "$scratch/sites"
	run "$@" KTAIL_FAULT_LOG="$scratch/sites"
	[ $? = "$bare" ] && cmp -s "$scratch/bare" "$scratch/out" ||
		fail "$what: differs without any fault"
	troubles >"$scratch/usual"
	# Selects each site as often as the process that calls it most, up to a limit, in the order
	# of the calls.
	awk -v limit="$most" '{ pid = $1; sub(/^[0-9]+ [0-9]+ /, ""); n = ++seen[pid, $0]
		if (n > most[$0] && n <= limit) { most[$0] = n; print $0 " " n } }' \
		"$scratch/sites" >"$scratch/calls"
	[ "$(wc -l <"$scratch/calls")" -gt 10 ] || fail "$what: too few calls can fail"
	while IFS= read -r call <&3; do
		run "$@" KTAIL_FAULT="$call"
		check "$what: $call" $?
	done 3<"$scratch/calls"
}

check() { # CALL STATUS
	[ "$2" = "$bare" ] || fail "$1 failed: status $2, not $bare"
	cmp "$scratch/bare" "$scratch/out" || fail "$1 failed: output differs"
	cmp "$scratch/bare.err" "$scratch/err" || fail "$1 failed: the program noticed"
	troubles >"$scratch/now"
	if cmp -s "$scratch/usual" "$scratch/now"; then
		site=${1#*: }
		cut -f1 "$here/harmless.txt" | grep -qxF -- "${site% *}" ||
			fail "$1 failed without a message"
	fi
	[ -z "${VERBOSE:-}" ] ||
		echo "$1: $(comm -13 "$scratch/usual" "$scratch/now" | tr '\n' ' ')"
	runs=$((runs + 1))
}

plain_session_begin --subbuf-size=65536 --num-subbuf=4 || {
	echo "FAILED: lttng"
	exit 1
}
sweep submit
most=4 # for each site; the first scenario has covered all calls
sweep fork
sweep thread
sweep submit KTAIL_RECORD_DOORBELL=protect
sweep submit KTAIL_RECORD_DOORBELL=patch
most=16
sweep api-program-now KTAIL_RECORD_API=wrap
sweep api-program-lazy KTAIL_RECORD_API=wrap

echo "$runs calls made to fail"
[ "$failures" = 0 ]
