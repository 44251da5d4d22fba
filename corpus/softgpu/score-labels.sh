#!/bin/sh
# SPDX-License-Identifier: MIT
# Scores the labels of `ktail annotate`: compares the labels inferred from recordings of the
# software GPU with those set by its driver. Prints the table of docs/internals/annotate.md.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 2
root=$(cd "$here/../.." && pwd) || exit 2
# shellcheck source=corpus/softgpu/common.sh
. "$here/common.sh"
ktail=${KTAIL:-}
kinds='2:dma 1:dma 2:mapped 2:window 2:chunk1 2:chunk4'
api=none
alphabet=table1
only=''
out=''
errors=10

usage() {
	cat <<'TEXT'
usage: corpus/softgpu/score-labels.sh [options]

Records the workloads of corpus/recordings.tsv and some with several threads on the software
GPU, labels their letters with `ktail annotate`, and prints for each label how often the driver
itself reports it (truth), how often it was found, how often both agree (right), the share of
the found ones that are right (precision) and of the true ones that were found (recall); then
the most frequent errors. With transfer methods other than dma, copies have at most 64 KiB.

options:
  --kinds LIST       drivers, VERSION:TRANSFER separated by blanks (default
                     "2:dma 1:dma 2:mapped 2:window 2:chunk1 2:chunk4")
  --only LIST        comma-separated names of the recordings to use
  --api none|wrap    recording of API calls, which label rules can use (default none)
  --alphabet NAME    alphabet whose letters are labelled (default table1)
  --errors N         errors to print (default 10)
  --out DIR          keep the recordings' letters with both labels (letters.tsv) and the table
                     (labels.tsv) there
  --ktail PROGRAM    (default: $KTAIL, in a build folder, on PATH)
  --help             print this help and exit

exit status: 0 done; 2 usage or I/O, or a recording failed.
TEXT
}

while [ $# -gt 0 ]; do
	case $1 in
	--help) usage; exit 0 ;;
	--kinds | --only | --api | --alphabet | --errors | --out | --ktail)
		[ $# -ge 2 ] || fail "$1 needs an argument" ;;
	*) fail "unknown argument '$1'" ;;
	esac
	case $1 in
	--kinds) kinds=$2 ;;
	--only) only=,$2, ;;
	--api) api=$2 ;;
	--alphabet) alphabet=$2 ;;
	--errors) errors=$2 ;;
	--out) out=$2 ;;
	--ktail) ktail=$2 ;;
	esac
	shift 2
done
case $api in
none | wrap) ;;
*) fail "--api must be none or wrap, not '$api'" ;;
esac
whole_number --errors "$errors"
find_ktail
bin=$(dirname "$ktail")

make_work
make_out
rm -f "$out/letters.tsv"
tab=$(printf '\t')

# run WHAT COMMAND...: hides the output of COMMAND. If COMMAND fails, prints the output and ends the
# script.
run() {
	what=$1
	shift
	"$@" >"$work/said" 2>&1 || {
		cat "$work/said" >&2
		fail "$what"
	}
}

# score NAME WORKLOAD ARGUMENT...: records the workload and appends its letters to letters.tsv, each
# with its true label and its inferred label.
score() {
	name=$1
	program=$bin/corpus/$2
	shift 2
	case $only in
	'' | *,"$name",*) ;;
	*) return ;;
	esac
	rm -rf "$work/trace" "$work/labels.tsv"
	KTAIL_SOFTGPU_LABELS=$work/labels.tsv run "record $name" \
		"$ktail" record --softgpu --api="$api" --softgpu-driver "$version" \
		--softgpu-transfer "$transfer" --subbuf-size 262144 --num-subbuf 4 --lossless \
		-o "$work/trace" -- "$program" "$@"
	run "infer $name" "$ktail" --alphabet "$alphabet" --k 4 --strict "$work/trace" -o "$work/fsm.json"
	run "annotate $name" "$ktail" annotate "$work/fsm.json" "$work/trace" \
		--occurrences "$work/found.tsv"
	"$bin/true-labels" "$work/trace" "$work/labels.tsv" >"$work/true.tsv" ||
		fail "read $name: there are no labels of it"
	join_labels "$version:$transfer" "$name" || fail "read $name: letters without a label"
}

# Joins inferred and true labels by process and sequence number.
join_labels() {
	awk -F '\t' -v OFS='\t' -v kind="$1" -v name="$2" '
	FNR == 1 {
		file++
		delete at
		for (i = 1; i <= NF; i++) {
			at[$i] = i
		}
		next
	}
	file == 1 {
		truth[$at["process"], $at["seq"]] = $at["label"]
		next
	}
	{
		key = $at["process"] SUBSEP $at["seq"]
		if (truth[key] == "" || truth[key] == "-") {
			print name ": event " $at["seq"] " (" $at["letter"] ") has no truth" >"/dev/stderr"
			missing = 1
		}
		print kind, name, $at["process"], $at["seq"], $at["letter"], truth[key], $at["label"]
	}
	END { exit missing }' "$work/true.tsv" "$work/found.tsv" >>"$out/letters.tsv"
}

for kind in $kinds; do
	version=${kind%%:*}
	transfer=${kind#*:}
	case $transfer in
	dma)
		while IFS=$tab read -r row _ command <&3; do
			case $row in
			'' | '#'*) continue ;;
			esac
			# shellcheck disable=SC2086 # a line of the table is words
			score "$row" $command
		done 3<"$root/corpus/recordings.tsv"
		;;
	*)
		score vadd-4k vadd --size 4096
		for memory in pageable pinned registered; do
			score copies-$memory copies --memory $memory --max 65536
		done
		score streams-polling streams --streams 4 --rounds 3
		score graphs-10 graphs --nodes 10 --launches 5
		;;
	esac
	score threads-4 streams --threads 4 --streams 4 --rounds 3
	score threads-2-blocking streams --threads 2 --streams 2 --rounds 3 --blocking
done
[ -s "$out/letters.tsv" ] || fail "score labels: no recording has such a name"

awk -F '\t' -v OFS='\t' '
{
	truth[$6]++
	found[$7]++
	right[$6] += $6 == $7
	all[$6] = all[$7] = 1
}

function share(n, of) {
	return of ? sprintf("%.3f", n / of) : "-"
}

END {
	for (label in all) {
		n += truth[label]
		r += right[label]
		print label, truth[label] + 0, found[label] + 0, right[label] + 0, \
			share(right[label], found[label]), share(right[label], truth[label])
	}
	print "all", n, n, r, share(r, n), share(r, n) >"/dev/stderr"
}' "$out/letters.tsv" 2>"$work/all" | sort -t "$tab" -k 2,2nr -k 1,1 >"$work/rows"
{
	printf 'label\ttruth\tfound\tright\tprecision\trecall\n'
	cat "$work/rows" "$work/all"
} >"$out/labels.tsv"
awk -F '\t' '{ printf "%-28s %8s %8s %8s  %9s  %6s\n", $1, $2, $3, $4, $5, $6 }' "$out/labels.tsv"
[ "$errors" -eq 0 ] || echo
awk -F '\t' -v OFS='\t' '$6 != $7 { n[$6 OFS $7 OFS $5]++ }
END {
	for (error in n) {
		print n[error], error
	}
}' "$out/letters.tsv" | sort -t "$tab" -k 1,1nr -k 2 | head -n "$errors" |
	awk -F '\t' '{ printf "%6d letters %s: \"%s\" is true, \"%s\" was found\n", $1, $4, $2, $3 }'
exit 0
