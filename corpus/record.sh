#!/bin/sh
# SPDX-License-Identifier: MIT
# Records the corpus on a GPU host, without root: runs each row of recordings.tsv without
# and with the recorder, compares the outputs, and writes provenance.json into the folder of
# the trace. A row names a workload, or a Python script of programs/.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 2
out=$here/traces
table=$here/recordings.tsv
recorder=${KTAIL:-}
workloads=${KTAIL_WORKLOADS:-}
commit=''
only=' '
repeat=3
seconds=120
limit_mb=20

usage() {
	cat <<'TEXT'
usage: corpus/record.sh [options]

Runs each workload of the table without and under `ktail record`, compares output and exit
status, and writes the trace to OUT/NAME, with OUT/NAME/provenance.json.

options:
  --out DIR          folder of the traces (default: traces next to this script)
  --only NAME        record only this workload; may be given several times
  --repeat N         runs without the recorder, the fastest counts (default 3)
  --ktail PROGRAM    ktail or ktail-record (default: $KTAIL, on PATH, in a build folder)
  --workloads DIR    the workloads (default: $KTAIL_WORKLOADS, corpus next to the recorder)
  --table FILE       the recordings (default: recordings.tsv next to this script)
  --commit ID        the recorder's commit (default: from the prefix or git)
  --timeout SECONDS  limit of one run (default 120)
  --limit MB         limit of all traces together, in 10^6 bytes (default 20)
  --help             print this help and exit

exit status: 0 all recorded, nothing lost, no doorbell missed, same output; 1 not so;
2 usage or I/O; 77 no GPU here.
TEXT
}

fail() {
	echo "record.sh: $*" >&2
	exit 2
}

is_number() {
	case $1 in
	'' | 0* | *[!0-9]*) return 1 ;;
	esac
}

while [ $# -gt 0 ]; do
	case $1 in
	--help) usage; exit 0 ;;
	--out | --only | --repeat | --ktail | --workloads | --table | --commit | --timeout | --limit)
		[ $# -ge 2 ] || fail "$1 needs an argument" ;;
	*) fail "unknown argument '$1'" ;;
	esac
	case $1 in
	--out) out=$2 ;;
	--only) only="$only$2 " ;;
	--ktail) recorder=$2 ;;
	--workloads) workloads=$2 ;;
	--table) table=$2 ;;
	--commit) commit=$2 ;;
	*)
		is_number "$2" || fail "$1 must be a whole number above 0, not '$2'"
		case $1 in
		--repeat) repeat=$2 ;;
		--timeout) seconds=$2 ;;
		--limit) limit_mb=$2 ;;
		esac ;;
	esac
	shift 2
done

# Finds the recorder and the workloads.

if [ -z "$recorder" ]; then
	recorder=$(command -v ktail || command -v ktail-record) || recorder=''
fi
for folder in "$here"/../build/release/bin "$here"/../build/dev/bin \
	"$here"/../build/demo/bin; do
	if [ -z "$recorder" ] && [ -x "$folder/ktail" ]; then
		recorder=$folder/ktail
	elif [ -z "$recorder" ] && [ -x "$folder/ktail-record" ]; then
		recorder=$folder/ktail-record
	fi
done
[ -n "$recorder" ] || fail "find ktail: neither on PATH nor built; give --ktail"
recorder=$(command -v "$recorder") || fail "find the recorder: no such program"
case $recorder in
*/ktail-record*) verb='' ;;
*) verb=record ;;
esac
for folder in "$(dirname "$recorder")/corpus" \
	"$(dirname "$recorder")"/../lib/*/ktail-softgpu/corpus "$here/../build/release/bin/corpus" \
	"$here/../build/dev/bin/corpus" "$here/../build/demo/bin/corpus"; do
	if [ -z "$workloads" ] && [ -x "$folder/vadd" ]; then
		workloads=$folder
	fi
done
[ -n "$workloads" ] || fail "find the workloads: not built; give --workloads"
workloads=$(cd "$workloads" && pwd) || exit 2
[ -r "$table" ] || fail "read $table: no such file"
mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
limited=''
if command -v timeout >/dev/null; then
	limited="timeout -k 10 $seconds"
fi

# Functions that measure a run or print values as JSON.

now_ns() {
	date +%s%N
}

# elapsed_s START END: prints the seconds between two times that are given in nanoseconds.
elapsed_s() {
	awk -v ns="$(($2 - $1))" 'BEGIN { printf "%.3f", ns / 1e9 }'
}

# timed OUT ERR COMMAND...: runs COMMAND with its output in the files OUT and ERR. Sets
# status and took (seconds).
timed() {
	to=$1
	err=$2
	shift 2
	start=$(now_ns)
	# shellcheck disable=SC2086
	$limited "$@" </dev/null >"$to" 2>"$err"
	status=$?
	took=$(elapsed_s "$start" "$(now_ns)")
}

# number PATTERN...: prints a number from the recorder's messages, which are searched in
# lower case. The number is in the last match of the first PATTERN that matches. Prints
# nothing if no PATTERN matches.
number() {
	for pattern; do
		found=$(tr '[:upper:]' '[:lower:]' <"$work/messages" |
			grep -oE "$pattern" | tail -n 1 | grep -oE '[0-9]+') || continue
		echo "$found"
		return
	done
}

# Prints the first line of a text as a JSON string.
json() {
	printf '%s' "$1" | head -n 1 | tr -d '\000-\037' | sed 's/[\\"]/\\&/g; s/^/"/; s/$/"/'
	[ -n "$1" ] || printf '""'
}

# json_number [NUMBER]: prints the number, or null if it is missing.
json_number() {
	printf '%s' "${1:-null}"
}

# Prints the first 40 messages of the recorder as a JSON array; paths are relative to the
# output folder.
json_messages() {
	printf '['
	separator=''
	folder=$(printf '%s/' "$out" | sed 's/[][\\.*^$|]/\\&/g')
	head -n 40 "$work/messages" | sed "s|$folder||g" | while IFS= read -r line; do
		printf '%s' "$separator"
		json "$line"
		separator=', '
	done
	printf ']'
}

# Properties of the host.

info_status=0
timed "$work/info" "$work/err" "$workloads/corpus-info"
info_status=$status
if [ "$info_status" -ne 0 ]; then
	cat "$work/err" >&2
	[ "$info_status" -ne 77 ] || exit 77
	fail "query the GPU: corpus-info failed with status $info_status"
fi

info() {
	sed -n "s/^$1=//p" "$work/info"
}

# Prints the driver's release as nvidia-smi and the kernel module state it, one per line.
# The first line is the one that counts.
driver_release() {
	if command -v nvidia-smi >/dev/null; then
		nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null |
			grep -E '^[0-9.]+$' | head -n 1
	fi
	sed -n 's/^NVRM version:.* \([0-9][0-9]*\.[0-9][0-9.]*\) .*/\1/p' \
		/proc/driver/nvidia/version 2>/dev/null
}

recorder_commit() {
	if [ -n "$commit" ]; then
		echo "$commit"
	elif [ -n "${KTAIL_PREFIX:-}" ] && [ -r "$KTAIL_PREFIX/ktail/commit" ]; then
		cat "$KTAIL_PREFIX/ktail/commit"
	else
		git -C "$here" describe --always --dirty --abbrev=40 --match=- 2>/dev/null ||
			echo unknown
	fi
}

driver=$(driver_release | head -n 1)
module=$(head -n 1 /proc/driver/nvidia/version 2>/dev/null | sed 's/^NVRM version: *//')
commit=$(recorder_commit)
system=$(sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' /etc/os-release 2>/dev/null)

# Measures how long the recorder takes for a command that does nothing: `alone`, in seconds.
rm -rf "$work/empty"
# shellcheck disable=SC2086
timed "$work/out" "$work/err" "$recorder" $verb -o "$work/empty" -- true
alone=$took
if [ "$status" -ne 0 ]; then
	cat "$work/err" >&2
	fail "record true: status $status"
fi

# provenance NAME OPTIONS COMMAND: prints the contents of provenance.json for the last
# recording.
provenance() {
	cat <<JSON
{
  "format": "ktail-provenance/1",
  "trace": $(json "$1"),
  "command": $(json "$3"),
  "record_options": $(json "$2"),
  "date": $(json "$(date -u +%Y-%m-%dT%H:%M:%SZ)"),
  "recorder": {"commit": $(json "$commit"), "messages": $(json_messages)},
  "gpu": {"name": $(json "$(info gpu)"), "compute": $(json "$(info compute)"), "devices": $(json_number "$(info devices)")},
  "driver": {"release": $(json "$driver"), "module": $(json "$module"), "cuda": $(json "$(info cuda)")},
  "host": {"kernel": $(json "$(uname -srm)"), "system": $(json "$system"), "cpus": $(json_number "$(getconf _NPROCESSORS_ONLN)")},
  "events": $(json_number "$events"),
  "lost": $(json_number "$lost"),
  "doorbells": $(json_number "$doorbells"),
  "exit_status": {"bare": $bare_status, "recorded": $recorded_status},
  "same_output": $same,
  "wall_s": {"bare": $bare, "bare_runs": $repeat, "recorded": $recorded, "recorder_alone": $alone},
  "bytes": $bytes
}
JSON
}

# run_bare COMMAND...: runs COMMAND $repeat times without the recorder. Sets bare (seconds
# of the fastest run), bare_status, and deterministic (whether all runs had the same output
# and status). Leaves the output of the first run in $work/bare-out.
run_bare() {
	bare=''
	deterministic=true
	i=0
	while [ "$i" -lt "$repeat" ]; do
		timed "$work/out" "$work/err" "$@"
		if [ "$i" -eq 0 ]; then
			mv "$work/out" "$work/bare-out"
			bare_status=$status
		elif ! cmp -s "$work/out" "$work/bare-out" || [ "$status" -ne "$bare_status" ]; then
			deterministic=false
		fi
		bare=$(awk -v a="${bare:-$took}" -v b="$took" 'BEGIN { print (a < b ? a : b) }')
		i=$((i + 1))
	done
	[ "$bare_status" -eq 0 ] || cat "$work/err" >&2
}

# run_recorded NAME OPTIONS COMMAND...: records COMMAND as trace NAME. Sets recorded (seconds),
# recorded_status, same, events, lost, doorbells, idle, lagging and bytes.
run_recorded() {
	trace=$out/$1
	options=$2
	shift 2
	[ "$options" != - ] || options=''
	rm -rf "$trace"
	# shellcheck disable=SC2086
	timed "$work/out" "$work/messages" "$recorder" $verb -v $options -o "$trace" -- "$@"
	recorded=$took
	recorded_status=$status
	same=false
	if cmp -s "$work/out" "$work/bare-out" && [ "$status" -eq "$bare_status" ] &&
		[ "$deterministic" = true ]; then
		same=true
	fi
	events=$(number '[0-9]+ events?' 'events recorded[ =:]+[0-9]+' 'events[ =:]+[0-9]+')
	lost=$(number '[0-9]+ (events )?(lost|discarded)' '(lost|discarded)[ =:]+[0-9]+')
	doorbells=$(number '[0-9]+ doorbells?' 'doorbells?[ =:]+[0-9]+')
	idle=$(number '[0-9]+  idle doorbells')
	lagging=$(number '[0-9]+  lagging channels')
	bytes=0
	if [ -d "$trace" ]; then
		bytes=$(find "$trace" -type f -exec cat {} + | wc -c | tr -d ' ')
	fi
}

row='%-26s %8s %6s %10s %9s %9s %9s %s\n'
# shellcheck disable=SC2059
printf "$row" name events lost doorbells bare_s record_s bytes same_output
tab=$(printf '\t')
failures=0
runs=0
total=0

# Prints the first problem of the last recording, if there is one.
verdict() {
	if [ "$bare_status" -ne 0 ]; then
		echo "the run without the recorder failed with status $bare_status"
	elif [ "$deterministic" != true ]; then
		echo "runs without the recorder differ from each other"
	elif [ "$same" != true ]; then
		echo "output or status differ when recorded (status $recorded_status)"
	elif [ "$lost" != 0 ]; then
		echo "events lost: ${lost:-unknown}"
	elif [ "${idle:-0}" -ne 0 ]; then
		echo "doorbells without a moved GP_PUT: $idle"
	elif [ "${lagging:-0}" -ne 0 ]; then
		echo "channels that moved after their last doorbell: $lagging"
	elif [ "${events:-0}" -eq 0 ] || [ "$bytes" -eq 0 ]; then
		echo "no events were recorded"
	fi
}

# record NAME OPTIONS COMMAND: makes the recording for one row of the table, and prints its
# results.
record() {
	set -f
	# shellcheck disable=SC2086
	set -- "$1" "$2" "$3" $3
	set +f
	name=$1
	options=$2
	command=$3
	program=$4
	shift 4
	case $program in
	*.py)
		[ -r "$here/programs/$program" ] || fail "run $program: not in $here/programs"
		set -- python3 "$here/programs/$program" "$@"
		;;
	*)
		[ -x "$workloads/$program" ] || fail "run $program: not in $workloads"
		set -- "$workloads/$program" "$@"
		;;
	esac
	run_bare "$@"
	run_recorded "$name" "$options" "$@"
	if [ -d "$out/$name" ]; then
		provenance "$name" "$options" "$command" >"$out/$name/provenance.json" ||
			fail "write $out/$name/provenance.json: failed"
	fi
	yes=no
	[ "$same" != true ] || yes=yes
	# shellcheck disable=SC2059
	printf "$row" "$name" "${events:-?}" "${lost:-?}" "${doorbells:-?}" "$bare" "$recorded" \
		"$bytes" "$yes"
	wrong=$(verdict)
	if [ -n "$wrong" ]; then
		echo "record.sh: record $name: $wrong" >&2
		sed 's/^/  /' "$work/messages" >&2
		failures=$((failures + 1))
	fi
	runs=$((runs + 1))
	total=$((total + bytes))
}

while IFS=$tab read -r name options command <&3; do
	case $name in
	'' | '#'*) continue ;;
	.* | *[!A-Za-z0-9._-]*) fail "read $table: '$name' is not a valid name for a trace" ;;
	esac
	[ -n "$command" ] || fail "read $table: $name: not three columns"
	case $only in
	' ' | *" $name "*) record "$name" "$options" "$command" ;;
	esac
done 3<"$table"

echo "$runs runs, $total bytes in $out, $failures failed"
if [ "$runs" -eq 0 ]; then
	fail "record: no recording in $table has such a name"
fi
if [ "$total" -gt $((limit_mb * 1000000)) ]; then
	echo "record.sh: record: the traces together exceed $limit_mb MB" >&2
	failures=$((failures + 1))
fi
[ "$failures" -eq 0 ]
