#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures how the recording of API calls changes the behaviour of the driver. Records the
# same programs several times, alternately without API calls, with wrappers and with CUPTI.
# Reports differences that are larger than those between repeated runs of the same kind.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=observer-effect
times=5
ways='none wrap cupti'
table=$here/recordings.tsv
only=''
ktail=${KTAIL:-ktail}
workloads=${KTAIL_WORKLOADS:-}
k=20

usage() {
	cat <<'TEXT'
usage: corpus/observer-effect.sh [options] [-- RECORD-OPTION...]

Records each workload N times with `ktail record --api=WAY`, alternating between the WAYs, and
writes to DIR
  counts.tsv     workload, alphabet, letter, and for each WAY the smallest and the largest count
                 in the N words
  differs.tsv    the rows of counts.tsv where a WAY and the first one have no count in common
  machines.tsv   workload, WAY, and the sizes of the machine of its N words
  words.tsv      workload, WAY, the number of its different words without the letters whose
                 count changes between runs of the first WAY or of this one (alphabet rm),
                 and how many of its words the first WAY has as well
  WORKLOAD/WAY-I/ALPHABET/*.events
and prints all but the first.

options:
  --out DIR        output folder (default observer-effect)
  --times N        recordings of each workload (default 5)
  --ways LIST      of: none wrap cupti (default all); the others are compared with the first
  --only LIST      names of workloads of the table (default: vadd-4k copies-pinned graphs-10
                   graphs-50 streams-polling streams-blocking)
  --table FILE     the workloads (default: recordings.tsv next to this script)
  --k N            k of the machines (default 20)
  --help           print this help and exit

ktail is $KTAIL or on PATH; the workloads are in $KTAIL_WORKLOADS, or in corpus next to it.
exit status: 0 done; 2 usage or I/O, or a recording failed.
TEXT
}

fail() {
	echo "observer-effect.sh: $*" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--help) usage; exit 0 ;;
	--) shift; break ;;
	--out | --times | --ways | --only | --table | --k)
		[ $# -ge 2 ] || fail "$1 needs an argument" ;;
	*) fail "unknown argument '$1'" ;;
	esac
	case $1 in
	--out) out=$2 ;;
	--times) times=$2 ;;
	--ways) ways=$2 ;;
	--only) only=$2 ;;
	--table) table=$2 ;;
	--k) k=$2 ;;
	esac
	shift 2
done
case $times in
'' | 0* | *[!0-9]*) fail "--times must be a whole number above 0, not '$times'" ;;
esac
for way in $ways; do
	case $way in
	none | wrap | cupti) ;;
	*) fail "--ways must be of none, wrap and cupti, not '$way'" ;;
	esac
done
only=${only:-vadd-4k copies-pinned graphs-10 graphs-50 streams-polling streams-blocking}
[ -r "$table" ] || fail "read $table: no such file"
ktail=$(command -v "$ktail") || fail "find ktail: not on PATH; set KTAIL"
for folder in "$(dirname "$ktail")/corpus" "$(dirname "$ktail")"/../lib/*/ktail-softgpu/corpus; do
	if [ -z "$workloads" ] && [ -x "$folder/graphs" ]; then
		workloads=$folder
	fi
done

mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
tab=$(printf '\t')

# command_of NAME: prints the workload's command line from the table.
command_of() {
	awk -F "$tab" -v name="$1" '$1 == name { print $3 }' "$table"
}

# record_once NAME WAY I RECORD-OPTION...: makes recording number I of the workload with the
# WAY, and writes the words of the recording in three alphabets.
record_once() {
	name=$1
	way=$2
	i=$3
	shift 3
	set -f
	# shellcheck disable=SC2046
	set -- "$@" -- "$workloads"/$(command_of "$name")
	set +f
	rm -rf "$work/trace"
	"$ktail" record --api="$way" -o "$work/trace" "$@" >"$work/out" 2>"$work/err" || {
		cat "$work/err" >&2
		fail "record $name with --api=$way: failed"
	}
	mkdir -p "$out/$name/$way-$i"
	for alphabet in table1 rm submission; do
		rm -rf "$out/$name/$way-$i/$alphabet"
		"$ktail" words -a "$alphabet" "$work/trace" -o "$out/$name/$way-$i/$alphabet" \
			2>"$work/err" || fail "read the words of $name: $(cat "$work/err")"
	done
}

for name in $only; do
	[ -n "$(command_of "$name")" ] || fail "read $table: there is no workload '$name'"
	i=1
	while [ "$i" -le "$times" ]; do
		for way in $ways; do
			record_once "$name" "$way" "$i" "$@"
		done
		i=$((i + 1))
	done
done

# Counts each letter in each recording. Writes, for each WAY, the smallest and the largest
# count among its recordings.
for name in $only; do
	for way in $ways; do
		for alphabet in table1 rm submission; do
			i=1
			while [ "$i" -le "$times" ]; do
				cat "$out/$name/$way-$i/$alphabet/"*.events | grep -v '^#' |
					awk -v row="$name$tab$alphabet$tab$way$tab$i" \
						-v OFS="$tab" '{ print row, $0; print row, "(all letters)" }'
				i=$((i + 1))
			done
		done
	done
done | awk -F "$tab" -v OFS="$tab" -v ways="$ways" -v times="$times" '
	{
		rows[$1 OFS $2 OFS $5] = 1
		n[$1 OFS $2 OFS $5, $3, $4]++
	}
	END {
		n_ways = split(ways, way, " ")
		for (row in rows) {
			line = row
			for (w = 1; w <= n_ways; w++) {
				least = largest = n[row, way[w], 1] + 0
				for (i = 2; i <= times; i++) {
					count = n[row, way[w], i] + 0
					least = count < least ? count : least
					largest = count > largest ? count : largest
				}
				line = line OFS least OFS largest
			}
			print line
		}
	}' | LC_ALL=C sort >"$work/counts"
{
	printf 'workload\talphabet\tletter'
	for way in $ways; do
		printf '\t%s_least\t%s_largest' "$way" "$way"
	done
	echo
	cat "$work/counts"
} >"$out/counts.tsv"
awk -F "$tab" 'NR == 1 { print; next }
	{
		for (i = 6; i < NF; i += 2) {
			if ($i > $5 || $(i + 1) < $4) {
				print
				next
			}
		}
	}' "$out/counts.tsv" >"$out/differs.tsv"

{
	printf 'workload\tway\tk\tstates\ttransitions\tcomplex\n'
	for name in $only; do
		for way in $ways; do
			"$ktail" sweep --k "$k-$k" "$out/$name/$way"-*/table1/*.events \
				-o "$work/machine.tsv" 2>"$work/err" || fail "infer $name: $(cat "$work/err")"
			tail -n 1 "$work/machine.tsv" | awk -v row="$name$tab$way" -v OFS="$tab" \
				'{ print row, $1, $2, $3, $4 }'
		done
	done
} >"$out/machines.tsv"

# plain NAME WAY I: prints a checksum of the words of recording I, without the letters that
# are listed in $work/varying.
plain() {
	cat "$out/$1/$2-$3/rm/"*.events | grep -v '^#' | grep -vxF -f "$work/varying" | cksum
}

first=${ways%% *}
{
	printf 'workload\tway\tdifferent\tas_%s\n' "$first"
	for name in $only; do
		w=1
		for way in $ways; do
			awk -F "$tab" -v name="$name" -v column="$((2 + 2 * w))" \
				'$1 == name && $2 == "rm" && ($4 != $5 || $column != $(column + 1)) {
					print $3
				}' "$out/counts.tsv" >"$work/varying"
			for each in $first $way; do
				i=1
				while [ "$i" -le "$times" ]; do
					plain "$name" "$each" "$i"
					i=$((i + 1))
				done >"$work/plain-$each"
			done
			printf '%s\t%s\t%s\t%s\n' "$name" "$way" \
				"$(sort -u "$work/plain-$way" | grep -c .)" \
				"$(grep -cxF -f "$work/plain-$first" "$work/plain-$way")"
			w=$((w + 1))
		done
	done
} >"$out/words.tsv"
cat "$out/differs.tsv" "$out/machines.tsv" "$out/words.tsv"
