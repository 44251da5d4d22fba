#!/bin/sh
# SPDX-License-Identifier: MIT
# Records N times, and each time kills one of the processes involved at a random moment
# with SIGKILL. Ten seconds later no process, folder, shared memory or session may be left,
# and either ktail can read the trace or it says why not. At the end it prints how often
# each program was killed and how many traces could be read.
# Usage: kill-recordings.sh BIN LIB [N [SEED]]       (the build's bin and lib; 20 and 1)
set -u

bin=$1
lib=$2
n=${3:-20}
seed=${4:-1}
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

# Prints the processes of one recording, including daemons; the recording's tag is in their
# environment.
involved() {
	grep -lsz "^KTAIL_TEST=$tag\$" /proc/[0-9]*/environ | cut -d/ -f3
}

name_of() { # PID
	cat "/proc/$1/comm" 2>/dev/null
}

# Prints one of the processes that exist now, chosen by a number from 0 to 999.
choose() { # NUMBER
	involved | awk -v draw="$1" '{ pid[NR] = $1 }
		END { if (NR) print pid[1 + int(draw * NR / 1000)] }'
}

shared_memory() {
	find /dev/shm ! -name 'lttng-ust-wait-*' -newer "$scratch/$tag.begin" \
		\( -name '*ust*' -o -name '*lttng*' -o -name '*ktail*' \)
}

leftovers() {
	for pid in $(involved); do
		echo "process $pid ($(name_of "$pid"))"
	done
	find "$scratch/$tag.tmp" -mindepth 1
	shared_memory
}

# Reads the trace as a user does: ktail gives a word, or a message.
read_trace() { # TRACE
	[ -d "$1" ] || { echo none; return; }
	timeout 60 "$bin/ktail" words "$1" -o "$1.words" >"$1.read" 2>&1
	got=$?
	case $got in
	0) echo read ;;
	3) grep -q '^ktail: .' "$1.read" && echo refused || echo silent ;;
	*) echo "status $got" ;;
	esac
}

awk -v n="$n" -v seed="$seed" 'BEGIN { srand(seed)
	for (i = 1; i <= n; i++) {
		print i, int(rand() * 1000), int(rand() * 1000) } }' >"$scratch/plan"

while read -r i draw ms <&3; do
	tag=kill-$seed-$i-$$
	mkdir "$scratch/$tag.tmp"
	touch "$scratch/$tag.begin"
	# shellcheck disable=SC2016
	KTAIL_TEST=$tag TMPDIR=$scratch/$tag.tmp LD_PRELOAD=$lib/libfake-driver.so \
		"$bin/ktail-record" --hold=0.2 --subbuf-size 65536 --num-subbuf 4 -o "$scratch/$tag" -- \
		sh -c 'for i in 1 2 3; do "$0" 1000; done; true' "$bin/scenario-flood" \
		>"$scratch/$tag.out" 2>&1 &
	recorder=$!
	sleep "$(printf '0.%03d' "$ms")"
	pid=$(choose "$draw")
	target=$(name_of "$pid")
	kill -9 "$pid" 2>/dev/null || target='nothing: it had ended'
	echo "$target" >>"$scratch/killed"
	# If the recorder was killed, its command continues, and ends by itself.
	waited=0
	while [ -n "$(leftovers)" ] && [ $waited -lt 100 ]; do
		sleep 0.1
		waited=$((waited + 1))
	done
	left=$(leftovers)
	[ -z "$left" ] || {
		fail "run $i, $target after $ms ms: left: $left"
		for process in $(involved); do
			kill -9 "$process"
		done
	}
	wait $recorder 2>/dev/null
	fate=$(read_trace "$scratch/$tag")
	echo "$fate" >>"$scratch/fates"
	case $fate in
	read | refused | none) ;;
	*) fail "run $i, $target after $ms ms: the trace: $fate: $(cat "$scratch/$tag.read")" ;;
	esac
	rm -rf "$scratch/$tag" "$scratch/$tag".*
done 3<"$scratch/plan" 2>"$scratch/jobs"

count() { # FILE
	sort "$1" | uniq -c | awk '{ n = $1; $1 = ""; printf "%s%d%s", (NR > 1 ? ", " : ""), n, $0 }'
}
echo "killed: $(count "$scratch/killed")"
echo "traces: $(count "$scratch/fates")"
echo "$n recordings, $failures failed"
[ "$failures" = 0 ]
