#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the cost of single operations under the recorder, on the stand-in for the driver, as a
# table in Markdown: median and 99th percentile in microseconds, for each technique.
# Usage: bench-recorder.sh BUILD-FOLDER [N [CPU]]
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) || exit 2
n=${2:-2000}
cpu=${3:-}
scratch=$(mktemp -d)
. "$here/../collect/plain-session.sh"
trap 'plain_session_end; rm -rf "$scratch"' EXIT

pin=''
[ -z "$cpu" ] || pin="taskset -c $cpu"

measure() { # NAME PRELOAD [VARIABLE=VALUE...]
	name=$1 preload=$2
	shift 2
	# shellcheck disable=SC2086
	timeout 300 env "$@" KTAIL_RECORD_PART_WORDS=2048 LTTNG_UST_REGISTER_TIMEOUT=-1 LTTNG_UST_ALLOW_BLOCKING=1 \
		LD_PRELOAD="$preload" $pin "$build/bin/bench-recorder" "$n" >"$scratch/tsv" || {
		echo "bench-recorder.sh: measure $name: failed" >&2
		exit 1
	}
	sed "s/^/$name	/" "$scratch/tsv" >>"$scratch/all"
}

bare=$build/lib/libfake-driver.so
recorder=$build/lib/libktail-record.so:$bare
measure bare "$bare"
measure 'no session' "$recorder" KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=off
plain_session_begin --subbuf-size=4M --num-subbuf=8 --blocking-timeout=100000 || {
	echo "bench-recorder.sh: begin a session: lttng failed" >&2
	exit 1
}
measure 'both off' "$recorder" KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=off
measure 'watchpoint alone' "$recorder" KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=watchpoint
measure 'protect alone' "$recorder" KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=protect
measure 'patch alone' "$recorder" KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=patch
measure 'patch alone, rings from stores' "$recorder" KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=patch \
	KTAIL_RECORD_RINGS=stores
measure 'watchpoint alone, no submissions' "$recorder" KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=watchpoint \
	KTAIL_RECORD_SUBMISSIONS=off
measure 'protect alone, no submissions' "$recorder" KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=protect \
	KTAIL_RECORD_SUBMISSIONS=off
measure 'patch alone, no submissions' "$recorder" KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=patch \
	KTAIL_RECORD_SUBMISSIONS=off
measure 'coalesced, watchpoint' "$recorder" KTAIL_RECORD_ACCESS=coalesced KTAIL_RECORD_DOORBELL=watchpoint
measure 'exact, watchpoint' "$recorder" KTAIL_RECORD_ACCESS=exact KTAIL_RECORD_DOORBELL=watchpoint

awk -F '\t' '
	{ if (!($1 in seen)) { seen[$1] = 1; technique[++t] = $1 }
	  if (!($2 in known)) { known[$2] = 1; operation[++o] = $2 }
	  cell[$1, $2] = sprintf("%.2f (%.2f)", $4 / 1000, $5 / 1000) }
	END {
		line = "| operation |"; rule = "|---|"
		for (i = 1; i <= t; i++) { line = line " " technique[i] " |"; rule = rule "---|" }
		print line; print rule
		for (j = 1; j <= o; j++) {
			line = "| " operation[j] " |"
			for (i = 1; i <= t; i++) line = line " " cell[technique[i], operation[j]] " |"
			print line
		}
	}' "$scratch/all"
