#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs corpus/softgpu/score-truth.sh: workloads recorded on the software GPU, their machines
# scored against the truth. Checks properties that hold for every recording, not the figures,
# which depend on the number of polls.
# Usage: test-score-truth.sh KTAIL CHECK-TRUTH SOURCE
set -u
ktail=$1
check=$2
softgpu=$3/corpus/softgpu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failures=0
[ -e "$(dirname "$ktail")/../lib/ktail-softgpu/libcuda.so.1" ] || exit 77

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

"$softgpu/score-truth.sh" --ktail "$ktail" --k 0-2,20,100000 --out "$out/all" >"$out/table" 2>"$out/errors" || {
	cat "$out/errors"
	fail "status $?"
}
cat "$out/table"
words=$(find "$out/all/words" -name '*.events' | wc -l)
[ "$words" -ge "$(grep -c '^[a-z]' "$3/corpus/recordings.tsv")" ] || fail "$words words"

# Each word is accepted; a rejected one is reported with the letters before.
"$check" "$softgpu/truth.json" "$out/all/words" >"$out/fit" || {
	fail "a recorded word is not one of the truth's"
	head -n 40 "$out/fit"
}

# column K NAME
column() {
	awk -F '\t' -v k="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$1 == k { print $at[name] }' "$out/all/score.tsv"
}

# A machine with one state accepts everything, as do machines of small k with larger languages.
for k in 0 1; do
	[ "$(column $k recall)" = 1.000000 ] && [ "$(column $k truth_in_machine)" = yes ] ||
		fail "k = $k: recall is $(column $k recall)"
done
# At this k a prefix tree accepts only its own words: all of them are true, because each was recorded.
# The default machine may accept more: if the rest of one word is the rest of another with the same
# beginning ("abc", "abdbc"), both rests begin in one state.
k=100000
"$ktail" --machine pta --k $k "$out"/all/words/*.events -o "$out/pta.json" 2>"$out/errors" &&
	"$ktail" score "$out/pta.json" "$softgpu/truth.json" -o "$out/pta-score.json" 2>"$out/errors" ||
	fail "pta: $(cat "$out/errors")"
grep -q '"machine_in_truth": true' "$out/pta-score.json" ||
	fail "k = $k: $(grep -e '"precision"' -e in_truth "$out/pta-score.json")"
[ "$(column $k machine_covered)" = "$(column $k machine_transitions)" ] || fail "k = $k: untrue transitions"
# Its coverage is that of its words.
"$check" --tsv "$softgpu/truth.json" "$out/all/words" >"$out/coverage"
taken=$(sed -n 's/^transitions\t\([0-9]*\)\t.*/\1/p' "$out/coverage")
[ "$(column $k truth_covered)" -ge "$taken" ] || fail "words take $taken transitions, the machine $(column $k truth_covered)"
# A machine of smaller k has more words, so its coverage and recall can only grow.
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	NR > 2 && ($at["truth_covered"] > covered || $at["recall_expected"] > recall + 1e-6) {
		print
		bad = 1
	}
	{ covered = $at["truth_covered"]; recall = $at["recall_expected"] }
	END { exit bad }' "$out/all/score.tsv" || fail "a larger k recalls more"
grep -q '^\* *[0-9]\|^\* the k that ktail sweep chooses: [0-9]' "$out/table" || fail "no k is marked"

# The same words over part of the range yield the same rows.
"$softgpu/score-truth.sh" --ktail "$ktail" --k 2,20 --words "$out/all/words" --out "$out/again" >/dev/null ||
	fail "again: status $?"
for k in 2 20; do
	cmp "$out/all/score-$k.json" "$out/again/score-$k.json" || fail "k = $k: another score"
done

# Letters of roles: the truth in these letters accepts each word, and is scored.
"$softgpu/score-truth.sh" --ktail "$ktail" --alphabet roles --k 1,20 --out "$out/roles" >"$out/table" 2>"$out/errors" ||
	fail "roles: status $?: $(cat "$out/errors")"
cat "$out/table"
"$check" "$softgpu/truth-roles.json" "$out/roles/words" >"$out/fit" || {
	fail "a recorded word is not one of the truth's in letters of roles"
	head -n 40 "$out/fit"
}
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["recall"] != 1 && $at["k"] == 1 { bad = 1 }
	END { exit bad || NR != 3 }' "$out/roles/score.tsv" || fail "roles: recall of k = 1, or rows"
for wrong in '--k x' '--driver 3' '--alphabet rm' '--alphabet roles --driver 1' '--nonsense' '--k'; do
	# shellcheck disable=SC2086 # options are words
	"$softgpu/score-truth.sh" --ktail "$ktail" $wrong >/dev/null 2>"$out/errors"
	[ $? = 2 ] && grep -q 'whole number\|must be\|needs\|unknown' "$out/errors" || fail "$wrong: $(cat "$out/errors")"
done
[ "$failures" = 0 ]
