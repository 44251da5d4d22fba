#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the cost of a call of the CUDA API as a table in Markdown: median and 99th percentile in
# nanoseconds, bare, counted and traced, with and without an LTTng session; and that of the call's two
# events alone, which the tracing of the call contains.
# Usage: bench-api.sh BUILD-FOLDER [N]
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) || exit 2
n=${2:-1000}
scratch=$(mktemp -d)
. "$here/../collect/plain-session.sh"
trap 'plain_session_end; rm -rf "$scratch"' EXIT

measure() { # NAME [VARIABLE=VALUE...]
	name=$1
	shift
	timeout 300 env LD_LIBRARY_PATH="$build/lib/stand-in" LTTNG_UST_REGISTER_TIMEOUT=-1 \
		"$@" "$build/bin/bench-api" "$n" >"$scratch/tsv" || {
		echo "bench-api.sh: measure $name: failed" >&2
		exit 1
	}
	sed "s/^/$name	/" "$scratch/tsv" >>"$scratch/all"
}

preload=LD_PRELOAD=$build/lib/libktail-record.so
measure bare
measure 'counted' "$preload" KTAIL_RECORD_API=wrap KTAIL_RECORD_API_CALLS=cuInit
measure 'traced, no session' "$preload" KTAIL_RECORD_API=wrap
plain_session_begin --subbuf-size=4M --num-subbuf=8 || {
	echo "bench-api.sh: begin a session: lttng failed" >&2
	exit 1
}
measure 'traced' "$preload" KTAIL_RECORD_API=wrap

awk -F '\t' '
	{ if (!($1 in seen)) { seen[$1] = 1; mode[++m] = $1 }
	  if (!($2 in known)) { known[$2] = 1; call[++c] = $2 }
	  cell[$1, $2] = sprintf("%.0f (%.0f)", $4, $5) }
	END {
		line = "| call |"; rule = "|---|"
		for (i = 1; i <= m; i++) { line = line " " mode[i] " |"; rule = rule "---|" }
		print line; print rule
		for (j = 1; j <= c; j++) {
			line = "| " call[j] " |"
			for (i = 1; i <= m; i++) line = line " " cell[mode[i], call[j]] " |"
			print line
		}
	}' "$scratch/all"
