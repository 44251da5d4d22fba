#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints, as a table in Markdown, what the recorder's critical sections cost a program that has a
# handler for SIGINT: nanoseconds and system calls (by strace) of one lock and unlock, of an access
# that begins a run, patched, and of a wrapped call of the CUDA API, with an LTTng session.
# Usage: bench-sections.sh BUILD-FOLDER [RECORDER [N]]   (RECORDER: another libktail-record.so)
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) || exit 2
recorder=${2:-$build/lib/libktail-record.so}
n=${3:-20000}
scratch=$(mktemp -d)
. "$here/../collect/plain-session.sh"
trap 'plain_session_end; rm -rf "$scratch"' EXIT

program() { # OPERATION N [STRACE-OPTION...]
	operation=$1 times=$2
	shift 2
	preload=$recorder:$build/lib/libfake-driver.so
	case $operation in lock | masked) preload= ;; esac
	if [ $# = 0 ]; then set -- env "LD_PRELOAD=$preload"; else set -- "$@" -E "LD_PRELOAD=$preload"; fi
	LD_LIBRARY_PATH=$build/lib/stand-in LTTNG_UST_REGISTER_TIMEOUT=-1 KTAIL_RECORD_DOORBELL=patch \
		KTAIL_RECORD_API=wrap timeout 300 "$@" "$build/bin/bench-sections" "$operation" "$times"
}

# The calls of 20000 more operations, divided by 20000: those of start and end do not count.
calls() { # OPERATION
	for times in 1000 21000; do
		program "$1" $times strace -f -q -c -o "$scratch/calls" >/dev/null || return 1
		awk '$NF == "total" { print ($3 ~ /^[0-9]+$/ && NF >= 5) ? $4 : $3 }' "$scratch/calls"
	done | awk '{ total[NR] = $1 } END { printf "%.2f\n", (total[2] - total[1]) / 20000 }'
}

plain_session_begin --subbuf-size=4M --num-subbuf=8 || {
	echo "bench-sections.sh: begin a session: lttng failed" >&2
	exit 1
}
echo "| operation | ns | system calls |"
echo "|---|---|---|"
for operation in masked lock access call; do
	ns=$(program $operation "$n") && count=$(calls $operation) || {
		echo "bench-sections.sh: measure $operation: failed" >&2
		exit 1
	}
	echo "| $operation | $ns | $count |"
done
