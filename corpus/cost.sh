#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the cost of recording on a GPU host, without root: runs each workload without the
# recorder and then with each technique. All runs of a technique share one LTTng session, so
# the cost of creating a session is not included.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 2
recorder=${KTAIL:-}
workloads=${KTAIL_WORKLOADS:-}
out=cost.tsv
repeat=3
seconds=60
techniques='bare no-session off watchpoint-alone protect-alone patch-alone stores-alone access-alone watchpoint protect patch exact'
only=' '

usage() {
	cat <<'TEXT'
usage: corpus/cost.sh [options] [NAME=COMMAND...]

Runs the corpus's workloads, and each shell COMMAND, without and with the recorder; writes a
line for each technique and workload, and prints the wall times as a table in Markdown. The
last workloads are loops of 2,000 submissions, for which it prints the time per submission.

options:
  --out FILE         tab-separated lines (default cost.tsv)
  --repeat N         runs of each; the median counts (default 3)
  --only NAME        only this workload of recordings.tsv; may be given several times,
                     'none' for no workload
  --techniques LIST  of: bare no-session off watchpoint-alone protect-alone patch-alone
                     stores-alone access-alone watchpoint protect patch exact (default: all;
                     bare, without the recorder, is always run)
  --ktail PROGRAM    ktail-record or ktail (default: $KTAIL, on PATH)
  --workloads DIR    the workloads (default: $KTAIL_WORKLOADS, corpus next to the recorder)
  --timeout SECONDS  limit of one run (default 60)
  --help             print this help and exit

exit status: 0 all runs had the output of the run without the recorder; 1 not so; 2 usage or
I/O; 77 no GPU.
TEXT
}

fail() {
	echo "cost.sh: $*" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--help) usage; exit 0 ;;
	--out | --repeat | --only | --techniques | --ktail | --workloads | --timeout)
		[ $# -ge 2 ] || fail "$1 needs an argument" ;;
	-*) fail "unknown option $1" ;;
	*=*) break ;;
	*) fail "'$1' is not NAME=COMMAND" ;;
	esac
	case $1 in
	--out) out=$2 ;;
	--repeat) repeat=$2 ;;
	--only) only="$only$2 " ;;
	--techniques) techniques="bare $2" ;;
	--ktail) recorder=$2 ;;
	--workloads) workloads=$2 ;;
	--timeout) seconds=$2 ;;
	esac
	shift 2
done
case $repeat$seconds in *[!0-9]*) fail "not a number" ;; esac

[ -n "$recorder" ] || recorder=$(command -v ktail-record || command -v ktail) ||
	fail "find ktail-record: not on PATH; give --ktail"
folder=$(cd "$(dirname "$(command -v "$recorder")")" && pwd) || fail "find $recorder: no such program"
library=$(cd "$folder/../lib" && pwd)/libktail-record.so
[ -r "$library" ] || fail "find $library: no such file"
[ -n "$workloads" ] || workloads=$folder/corpus
[ -x "$workloads/microbench" ] || fail "find the workloads: not in $workloads; give --workloads"
header=$here/../collect/preload/process/counters.h
work=$(mktemp -d) || exit 2
scratch=$work
. "$here/../tests/collect/plain-session.sh"
in_session=no
trap '[ $in_session = no ] || plain_session_end; rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
"$workloads/corpus-info" >/dev/null 2>"$work/err"
case $? in
0) ;;
77) cat "$work/err" >&2; exit 77 ;;
*) cat "$work/err" >&2; fail "query the GPU: corpus-info failed" ;;
esac

# Writes the measured commands, one per line: NAME, tab, COMMAND. The commands after those
# of recordings.tsv time single requests: a launch, a copy by the copy engine (about 60
# bytes of commands), the largest copy with inline data, a launch of a graph, and a launch
# with the wait for its end.
{
	while IFS='	' read -r name options command; do
		case $name in '' | '#'*) continue ;; esac
		case $only in
		' ' | *" $name "*) printf '%s\t%s/%s\n' "$name" "$workloads" "$command" ;;
		esac
	done <"$here/recordings.tsv"
	printf 'launch\t%s/microbench --kind compute --length 4 --requests 2000 --times\n' "$workloads"
	printf 'copy\t%s/microbench --kind h2d --length 65536 --requests 2000 --times\n' "$workloads"
	printf 'copy-inline\t%s/microbench --kind h2d --length 24576 --requests 300 --times\n' "$workloads"
	printf 'graph\t%s/graphs --nodes 10 --launches 2000 --times\n' "$workloads"
	printf 'launch-and-wait\t%s/microbench --kind compute --length 4 --requests 2000 --wait --times\n' "$workloads"
	for extra in "$@"; do
		printf '%s\t%s\n' "${extra%%=*}" "${extra#*=}"
	done
} >"$work/runs"

settings() { # TECHNIQUE: prints the environment variables that select the technique
	case $1 in
	off) echo KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=off ;;
	watchpoint-alone) echo KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=watchpoint ;;
	protect-alone) echo KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=protect ;;
	patch-alone) echo KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=patch ;;
	stores-alone) echo KTAIL_RECORD_ACCESS=off KTAIL_RECORD_DOORBELL=patch KTAIL_RECORD_RINGS=stores ;;
	access-alone) echo KTAIL_RECORD_ACCESS=coalesced KTAIL_RECORD_DOORBELL=off ;;
	no-session | watchpoint) echo KTAIL_RECORD_ACCESS=coalesced KTAIL_RECORD_DOORBELL=watchpoint ;;
	protect) echo KTAIL_RECORD_ACCESS=coalesced KTAIL_RECORD_DOORBELL=protect ;;
	patch) echo KTAIL_RECORD_ACCESS=coalesced KTAIL_RECORD_DOORBELL=patch ;;
	exact) echo KTAIL_RECORD_ACCESS=exact KTAIL_RECORD_DOORBELL=watchpoint ;;
	*) fail "unknown technique '$1'" ;;
	esac
}

counter() { # NAME: prints the value of the recorder's counter NAME
	sed -n 's/^[[:space:]]*_Atomic uint64_t \([a-z_]*\);.*/\1/p' "$header" >"$work/names"
	od -An -v -w8 -tu8 "$work/counters" | tr -d ' ' | paste -d' ' "$work/names" - |
		sed -n "s/^$1 //p"
}

limited=''
command -v timeout >/dev/null && limited="timeout -k 10 $seconds"
failures=0

# once TECHNIQUE COMMAND: runs COMMAND once with its output in $work/out. Sets took
# (nanoseconds) and status.
once() {
	: >"$work/counters"
	truncate -s 8192 "$work/counters"
	start=$(date +%s%N)
	if [ "$1" = bare ]; then
		# shellcheck disable=SC2086
		$limited sh -c "exec $2" </dev/null >"$work/out" 2>"$work/err"
	else
		# The shell execs env and env execs the command, so only the command is preloaded.
		# shellcheck disable=SC2046,SC2086
		$limited sh -c "exec env $(settings "$1" | tr '\n' ' ') \
			KTAIL_RECORD_COUNTERS=$work/counters KTAIL_RECORD_PART_WORDS=2048 \
			LTTNG_UST_ALLOW_BLOCKING=1 \
			LTTNG_UST_REGISTER_TIMEOUT=-1 LD_PRELOAD=$library $2" \
			</dev/null >"$work/out" 2>"$work/err"
	fi
	status=$?
	took=$(($(date +%s%N) - start))
}

# runs TECHNIQUE NAME COMMAND: runs COMMAND $repeat times, compares the output and status of
# each run with those of the first run without the recorder, and appends a line to $out.
runs() {
	: >"$work/took"
	same=yes
	i=0
	while [ "$i" -lt "$repeat" ]; do
		once "$1" "$3"
		echo "$took" >>"$work/took"
		if [ "$1" = bare ] && [ "$i" = 0 ]; then
			cp "$work/out" "$work/bare-$2"
			echo "$status" >"$work/status-$2"
		fi
		if ! cmp -s "$work/out" "$work/bare-$2" || [ "$status" != "$(cat "$work/status-$2")" ]; then
			same=no
		fi
		i=$((i + 1))
	done
	[ "$same" = yes ] || {
		echo "cost.sh: $1: $2: output or status differ from the run without the recorder" >&2
		sed 's/^/  /' "$work/err" >&2
		failures=$((failures + 1))
	}
	# The workload graphs prints several lines with times; the last one is about
	# repeated launches.
	times=$(sed -n 's/.*median \([0-9]*\) ns, p99 \([0-9]*\) ns.*/\1	\2/p' "$work/err" | tail -n 1)
	[ -n "$times" ] || times='-	-'
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$repeat" \
		"$(sort -n "$work/took" | awk '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] / 1e9 }')" \
		"$(counter events)" "$(counter doorbells)" "$same" "$times" >>"$out"
}

printf 'technique\tworkload\truns\twall_s\tevents\tdoorbells\tsame\trequest_ns\trequest_p99_ns\n' >"$out" || exit 2
for technique in $techniques; do
	case $technique in
	bare | no-session) ;;
	*)
		settings "$technique" >/dev/null
		rm -rf "$work/plain"
		plain_session_begin --subbuf-size=1048576 --num-subbuf=8 --blocking-timeout=100000 ||
			fail "start an LTTng session: failed"
		in_session=yes ;;
	esac
	while IFS='	' read -r name command <&3; do
		runs "$technique" "$name" "$command"
	done 3<"$work/runs"
	if [ $in_session = yes ]; then
		lost=$(lttng list "$plain_name" 2>/dev/null |
			sed -n 's/.*Discarded events: *\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print NR ? n : "unknown" }')
		plain_session_end
		in_session=no
		echo "# $technique: $lost events lost" >>"$out"
		[ "$lost" = 0 ] || failures=$((failures + 1))
	fi
done

# Prints a table in Markdown of wall times and times per request, with a column for each
# technique.
awk -F '\t' '
	/^#/ || $1 == "technique" { next }
	{ if (!($1 in seen)) { seen[$1] = 1; technique[++t] = $1 }
	  if (!($2 in known)) { known[$2] = 1; workload[++w] = $2 }
	  wall[$1, $2] = $4; request[$1, $2] = $8; tail[$1, $2] = $9 }
	END {
		line = "| workload |"; rule = "|---|"
		for (i = 1; i <= t; i++) { line = line " " technique[i] " |"; rule = rule "---|" }
		print line; print rule
		for (j = 1; j <= w; j++) {
			name = workload[j]
			line = "| " name ", s |"
			for (i = 1; i <= t; i++) line = line " " wall[technique[i], name] " |"
			print line
			if (request["bare", name] ~ /^[0-9]+$/) {
				line = "| " name ", a request, us: median (p99) |"
				for (i = 1; i <= t; i++)
					line = line sprintf(" %.1f (%.1f) |", request[technique[i], name] / 1000, tail[technique[i], name] / 1000)
				print line
			}
		}
	}' "$out"
sed -n 's/^# //p' "$out"
[ "$failures" = 0 ]
