#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs ktail record repeatedly; each time one of its own calls fails once. Either ktail record
# reports an error with status 125 and leaves nothing, or the command's output and status are right.
# Usage: test-program-faults.sh BIN LIB
set -u

here=$(cd "$(dirname "$0")" && pwd)
bin=$1 lib=$2
scratch=$(mktemp -d)
failures=0
runs=0
. "$here/../plain-session.sh"
trap 'plain_session_end; rm -rf "$scratch"' EXIT

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

run() { # VARIABLE=VALUE...
	rm -rf "$scratch/trace"
	timeout -k 2 30 env "$@" LD_PRELOAD="$lib/libprogram-faults.so" "$bin/ktail-record" \
		--subbuf-size 65536 --num-subbuf 2 -o "$scratch/trace" -- \
		sh -c 'echo ran; exit 3' >"$scratch/out" 2>"$scratch/err"
}

left() { # prints forgotten sessions, files and folders
	lttng --no-sessiond list 2>/dev/null | grep -o 'ktail-[0-9]*' | head -n 1
	find /dev/shm -name 'ktail-record*' 2>/dev/null
}

check() { # SITE STATUS
	if [ "$2" = 3 ]; then
		grep -qx ran "$scratch/out" || fail "$1: status of a command that did not run"
	elif [ "$2" != 125 ]; then
		fail "$1: status $2: $(cat "$scratch/err")"
	elif ! grep -q '^ktail: ' "$scratch/err"; then
		fail "$1: no error is reported: $(cat "$scratch/err")"
	elif [ ! -s "$scratch/out" ] && [ -e "$scratch/trace" ]; then
		fail "$1: a folder is left after a command that did not run"
	fi
	grep -q 'runtime error\|Segmentation' "$scratch/err" && fail "$1: $(cat "$scratch/err")"
	case $1 in
	*lttng_list_channels* | *get_discarded*)
		grep -q '0 lost' "$scratch/err" && fail "$1: it reports no loss" ;;
	esac
	found=$(left)
	[ -z "$found" ] || fail "$1: left: $found"
	for session in $(echo "$found" | grep '^ktail-'); do
		lttng destroy --no-wait "$session" >/dev/null 2>&1
	done
}

sweep() {
	rm -f "$scratch/sites"
	run KTAIL_PROGRAM_FAULT_LOG="$scratch/sites"
	check none $?
	# A walk through /proc calls open() very often, so only the first calls of each name are
	# tested.
	awk '$2 <= 6' "$scratch/sites" >"$scratch/calls"
	[ "$(wc -l <"$scratch/calls")" -gt 10 ] || fail "too few calls observed"
	while IFS= read -r site <&3; do
		run KTAIL_PROGRAM_FAULT="$site"
		status=$?
		check "$1: $site" "$status"
		[ -z "${VERBOSE:-}" ] || echo "$1: $site: $status: $(head -n 1 "$scratch/err")"
		runs=$((runs + 1))
	done 3<"$scratch/calls"
}

# First with an existing daemon, which is fast; then with a private daemon for each run.
plain_session_begin --subbuf-size=4096 --num-subbuf=2 || {
	echo "FAILED: lttng"
	exit 1
}
sweep 'somebody'"'"'s daemon'
plain_session_end
if ! lttng --no-sessiond list >/dev/null 2>&1; then
	sweep 'a daemon of its own'
	lttng --no-sessiond list >/dev/null 2>&1 && fail "a session daemon is left"
fi
echo "$runs calls made to fail"
[ "$failures" = 0 ]
