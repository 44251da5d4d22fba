#!/bin/sh
# SPDX-License-Identifier: MIT
# Scores inferred machines: compares, for every k, the machine inferred from recordings of the
# corpus's workloads with the true machine of the software GPU's driver. Prints the table of
# docs/results/score.md.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 2
root=$(cd "$here/../.." && pwd) || exit 2
# shellcheck source=corpus/softgpu/common.sh
. "$here/common.sh"
ktail=${KTAIL:-}
list=1-40
driver=2
words=''
out=''
length=500
alphabet=table1

usage() {
	cat <<'TEXT'
usage: corpus/softgpu/score-truth.sh [options]

Records the workloads of corpus/recordings.tsv on the software GPU, infers their machine for
every k, and compares it with the truth: the share of the machine's random walks that the truth
accepts (precision), and of the truth's that the machine accepts (recall), both also by the
letters before a walk's first misfit, and by the letters that can come next, over all pairs of
states that one word reaches (next); the share of positions of the walks at which the same
letters can come next (exactness); the transitions of the truth that words of the machine take.
A star marks the k that `ktail sweep` chooses.

options:
  --k LIST           values of k, such as 1-40,60,80 (default 1-40)
  --driver 1|2       version of the driver, and of the truth (default 2)
  --alphabet NAME    letters of words and truth: table1 or roles, for roles only those of
                     driver 2 (default table1)
  --length N         letters of a random walk (default 500)
  --words DIR        score these .events files instead of recording
  --out DIR          keep words, score-K.json and the table (score.tsv) there
  --ktail PROGRAM    (default: $KTAIL, in a build folder, on PATH)
  --help             print this help and exit

exit status: 0 done; 2 usage or I/O, or a recording failed.
TEXT
}

while [ $# -gt 0 ]; do
	case $1 in
	--help) usage; exit 0 ;;
	--k | --driver | --alphabet | --length | --words | --out | --ktail)
		[ $# -ge 2 ] || fail "$1 needs an argument" ;;
	*) fail "unknown argument '$1'" ;;
	esac
	case $1 in
	--k) list=$2 ;;
	--driver) driver=$2 ;;
	--alphabet) alphabet=$2 ;;
	--length) length=$2 ;;
	--words) words=$2 ;;
	--out) out=$2 ;;
	--ktail) ktail=$2 ;;
	esac
	shift 2
done
for range in $(echo "$list" | tr , ' '); do
	for number in "${range%%-*}" "${range#*-}"; do
		whole_number --k "$number"
	done
done
whole_number --length "$length"
case $driver:$alphabet in
1:table1) truth=$here/truth-version-1.json ;;
2:table1) truth=$here/truth.json ;;
2:roles) truth=$here/truth-roles.json ;;
1:roles) fail "--driver must be 2 with --alphabet roles" ;;
[12]:*) fail "--alphabet must be table1 or roles, not '$alphabet'" ;;
*) fail "--driver must be 1 or 2, not '$driver'" ;;
esac
find_ktail

make_work
make_out

# record NAME WORKLOAD ARGUMENT...: records the workload and moves its words to $words.
record() {
	name=$1
	program=$(dirname "$ktail")/corpus/$2
	shift 2
	[ -x "$program" ] || fail "record $name: $program is not built"
	"$ktail" record --softgpu --softgpu-driver "$driver" --subbuf-size 262144 \
		--num-subbuf 4 --lossless -o "$work/$name" -- "$program" "$@" >"$work/out.txt" 2>"$work/errors" || {
		cat "$work/errors" >&2
		fail "record $name: failed"
	}
	"$ktail" words --strict --alphabet "$alphabet" "$work/$name" -o "$work/words" >"$work/errors" 2>&1 || {
		cat "$work/errors" >&2
		fail "record $name: there are no words of it"
	}
	mv "$work/words"/*.events "$words" && rm -rf "${work:?}/${name:?}" "$work/words" || exit 2
}

tab=$(printf '\t')
if [ -z "$words" ]; then
	words=$out/words
	mkdir -p "$words" || exit 2
	while IFS=$tab read -r name _ command <&3; do
		case $name in
		'' | '#'*) continue ;;
		esac
		# shellcheck disable=SC2086 # a line of the table is words
		record "$name" $command
	done 3<"$root/corpus/recordings.tsv"
fi
set -- "$words"/*.events
[ -e "$1" ] || fail "read $words: there are no .events files in it"

# The k that `ktail sweep` chooses; empty if this ktail has no sweep or sweep finds no k.
auto=''
if "$ktail" sweep "$@" -o "$out/sweep.json" 2>"$work/errors"; then
	auto=$(tr -d '\n' <"$out/sweep.json" |
		sed -n 's/.*"auto": *{ *"k": *\([0-9]*\).*/\1/p')
fi

# score K: writes score-K.json and appends a row to score.tsv. The first call also writes the header
# of score.tsv.
score() {
	"$ktail" score --k "$1" --length "$length" "$words"/*.events "$truth" \
		-o "$work/row.tsv" -o "$out/score-$1.json" || fail "score k = $1: ktail failed"
	[ -e "$out/score.tsv" ] || head -n 1 "$work/row.tsv" >"$out/score.tsv"
	tail -n 1 "$work/row.tsv" >>"$out/score.tsv"
}

rm -f "$out/score.tsv"
for range in $(echo "$list" | tr , ' '); do
	k=${range%%-*}
	while [ "$k" -le "${range#*-}" ]; do
		score "$k"
		k=$((k + 1))
	done
done

# Columns are found by name, so that columns can be added.
awk -F "$tab" -v auto="$auto" '
NR == 1 {
	for (i = 1; i <= NF; i++) {
		at[$i] = i
	}
	print "     k  states  transitions  precision  letters   next   recall  letters   next  exactness  covered"
	next
}

{
	printf "%s %4d  %6d  %11d  %9.3f  %7.3f  %5.3f   %6.3f  %7.3f  %5.3f  %9.3f  %3d/%d\n",
		$at["k"] == auto ? "*" : " ", $at["k"], $at["states"], $at["transitions"],
		$at["precision"], $at["precision_letters"], $at["next_precision"],
		$at["recall"], $at["recall_letters"], $at["next_recall"],
		$at["exactness"], $at["truth_covered"], $at["truth_transitions"]
}' "$out/score.tsv"
[ -n "$auto" ] && echo "* the k that ktail sweep chooses: $auto"
exit 0
