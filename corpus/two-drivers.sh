#!/bin/sh
# SPDX-License-Identifier: MIT
# Records programs on one machine with two user-mode drivers (libcuda) in turn: the installed
# libcuda, and another one of the same driver branch, such as the libcuda in the folder
# `compat` of a CUDA toolkit.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 2
out=two-drivers
other=/usr/local/cuda/compat
times=16
only=' '
table=$here/two-drivers.tsv
ktail=${KTAIL:-}
workloads=${KTAIL_WORKLOADS:-}
seconds=120

usage() {
	cat <<'TEXT'
usage: corpus/two-drivers.sh [options] [-- RECORD-OPTION...]

Records each program of the table N times with the installed libcuda and N times with the other,
in turn. Writes to OUT/SIDE/NAME, with SIDE `installed` or `other`: the first trace whole
(`trace`), the words of all (`words/NAME-I.events`, alphabet calls) and, with --api=wrap among the
RECORD-OPTIONs, their figures (`stats/NAME-I.csv`). Checks that the programs print the same with
both, and prints a table.

libcuda refuses a kernel module of another release than its own. A preloaded library,
libktail-own-release.so, answers it with its own release: an experiment, which works for
releases of one branch that have the same interface, and which NVIDIA does not support.

options:
  --out DIR          folder of the recordings (default two-drivers)
  --other DIR        folder of the other libcuda.so.1 (default /usr/local/cuda/compat)
  --times N          recordings of each program with each libcuda (default 16)
  --only NAME        record only this program; may be given several times
  --table FILE       the programs (default: two-drivers.tsv next to this script)
  --ktail PROGRAM    ktail (default: $KTAIL, on PATH)
  --workloads DIR    the workloads (default: $KTAIL_WORKLOADS, corpus next to ktail)
  --timeout SECONDS  limit of one run (default 120)
  --help             print this help and exit

exit status: 0 all recorded, nothing lost, same output; 1 not so; 2 usage or I/O; 77 no GPU or
no other libcuda here.
TEXT
}

fail() {
	echo "two-drivers.sh: $*" >&2
	exit 2
}

wrong() {
	echo "two-drivers.sh: $*" >&2
	failures=$((failures + 1))
}

while [ $# -gt 0 ]; do
	case $1 in
	--help) usage; exit 0 ;;
	--) shift; break ;;
	--out | --other | --times | --only | --table | --ktail | --workloads | --timeout)
		[ $# -ge 2 ] || fail "$1 needs an argument" ;;
	*) fail "unknown argument '$1'" ;;
	esac
	case $1 in
	--out) out=$2 ;;
	--other) other=$2 ;;
	--times) times=$2 ;;
	--only) only="$only$2 " ;;
	--table) table=$2 ;;
	--ktail) ktail=$2 ;;
	--workloads) workloads=$2 ;;
	--timeout) seconds=$2 ;;
	esac
	shift 2
done
case $times in
'' | 0* | *[!0-9]*) fail "--times must be a whole number above 0, not '$times'" ;;
esac
[ -n "$ktail" ] || ktail=$(command -v ktail) || fail "no ktail: give --ktail"
workloads=${workloads:-$(dirname "$ktail")/corpus}
[ -x "$workloads/vadd" ] || fail "no workloads in $workloads: give --workloads"
own=$(dirname "$ktail")/../lib/libktail-own-release.so
[ -f "$own" ] || fail "no $own"
own=$(cd "$(dirname "$own")" && pwd)/${own##*/}
[ -r "$table" ] || fail "no table $table"
[ -e "$other/libcuda.so.1" ] || { echo "two-drivers.sh: no $other/libcuda.so.1" >&2; exit 77; }
[ -c /dev/nvidiactl ] || { echo 'two-drivers.sh: no GPU here' >&2; exit 77; }

mkdir -p "$out" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
failures=0

# record_once SIDE NAME I OPTIONS COMMAND RECORD-OPTION...: makes recording I of program
# NAME with the libcuda of SIDE. OPTIONS and COMMAND are split at blanks.
record_once() {
	side=$1 name=$2 i=$3 options=$4 command=$5
	shift 5
	to=$out/$side/$name
	mkdir -p "$to/words" || exit 2
	[ "$options" = - ] && options=''
	(
		LD_PRELOAD=$own${LD_PRELOAD:+:$LD_PRELOAD}
		[ "$side" = installed ] || LD_LIBRARY_PATH=$other${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
		export LD_PRELOAD LD_LIBRARY_PATH
		# shellcheck disable=SC2086
		timeout "$seconds" "$ktail" record $options "$@" -o "$work/trace" -- \
			"$workloads/"$command
	) >"$work/out" 2>"$work/err" || {
		wrong "record $name with the $side libcuda: $(tail -3 "$work/err")"
		rm -rf "$work/trace"
		return
	}
	grep -q ' 0 lost,' "$work/err" || wrong "$name: $(grep recorded "$work/err")"
	if [ -f "$work/$name.out" ]; then
		cmp -s "$work/out" "$work/$name.out" || wrong "$name prints other results: $side, run $i"
	else
		cp "$work/out" "$work/$name.out"
	fi
	"$ktail" words -a calls "$work/trace" -o "$work/words" 2>"$work/err" ||
		wrong "words of $name: $(cat "$work/err")"
	for word in "$work"/words/*.events; do
		mv "$word" "$to/words/$name-$i.events"
	done
	rm -rf "$work/words"
	case " $* $options " in
	*' --api=wrap '*)
		mkdir -p "$to/stats" || exit 2
		"$ktail" stats -f csv "$work/trace" >"$to/stats/$name-$i.csv" 2>"$work/err" ||
			wrong "figures of $name: $(cat "$work/err")" ;;
	esac
	if [ "$i" = 1 ]; then
		rm -rf "$to/trace"
		mv "$work/trace" "$to/trace" || exit 2
	else
		rm -rf "$work/trace"
	fi
}

i=1
while [ "$i" -le "$times" ]; do
	while IFS="$(printf '\t')" read -r name options command; do
		case $name in '' | '#'*) continue ;; esac
		case $only in ' ' | *" $name "*) ;; *) continue ;; esac
		record_once installed "$name" "$i" "$options" "$command" "$@"
		record_once other "$name" "$i" "$options" "$command" "$@"
	done <"$table"
	i=$((i + 1))
done

# value FILE WHAT: prints the version of WHAT, libcuda or module, with which the word in
# FILE was recorded
value() {
	sed -n "s/^#ktail version $2	\([^	]*\).*/\1/p" "$1" | head -1
}
printf '%-10s %-10s %10s %8s  %-14s %-14s\n' program side recordings letters libcuda module
for side in installed other; do
	for folder in "$out/$side"/*/; do
		name=$(basename "$folder")
		first=$folder/words/$name-1.events
		[ -f "$first" ] || continue
		printf '%-10s %-10s %10s %8s  %-14s %-14s\n' "$name" "$side" \
			"$(find "$folder/words" -name '*.events' | wc -l)" "$(grep -vc '^#' "$first")" \
			"$(value "$first" libcuda)" "$(value "$first" module)"
	done
done
[ "$failures" = 0 ]
