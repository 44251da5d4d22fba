#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs corpus/softgpu/score-labels.sh on some recordings: every letter has a truth, and each
# label's precision and recall are not below the table of docs/internals/annotate.md, without
# and with calls.
# Usage: test-score-labels.sh KTAIL SOURCE
set -u
ktail=$1
source=$2
score=$source/corpus/softgpu/score-labels.sh
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
failures=0
[ -e "$(dirname "$ktail")/../lib/ktail-softgpu/libcuda.so.1" ] || exit 77

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# The table: label, precision and recall without calls, then with them; followed by the required
# minimum if the value varies.
awk -F ' *[|] *' '/^\| label \| letters \|/ { on = 1; next }
	/^\| label, of four recordings \|/ { on = 2; next }
	/^$/ { on = 0 }
	on == 1 && !/^\|-/ { print $2 "\t" $4 "\t" $5 "\t" $6 "\t" $7 }
	on == 2 && !/^\|-/ { print $2 "\t" $3 "\t" $4 "\t" $3 "\t" $4 }' "$source/docs/internals/annotate.md" >"$out/said.tsv"
[ "$(wc -l <"$out/said.tsv")" -ge 30 ] || fail "docs/internals/annotate.md has no table of labels"

# A letter without a truth must cause a failure.
for api in none wrap; do
	"$score" --ktail "$ktail" --kinds "2:dma" --api $api --out "$out/$api" \
		--only vadd-4k,copies-pinned,graphs-10,threads-4 >"$out/table" 2>"$out/errors" || {
		cat "$out/errors"
		fail "--api $api: status $?"
	}
	cat "$out/table"
	awk -F '\t' -v api=$api '
	NR == FNR {
		precision[$1] = api == "none" ? $2 : $4
		recall[$1] = api == "none" ? $3 : $5
		next
	}
	FNR > 1 && !($1 in recall) {
		print "FAILED: " $1 " is not in docs/internals/annotate.md"
		bad = 1
	}
	FNR > 1 && $5 != "-" && precision[$1] != "-" && $5 < precision[$1] {
		print "FAILED: " $1 ": precision " $5 ", said to be " precision[$1]
		bad = 1
	}
	FNR > 1 && $6 != "-" && $6 < recall[$1] {
		print "FAILED: " $1 ": recall " $6 ", said to be " recall[$1]
		bad = 1
	}
	END { exit bad }' "$out/said.tsv" "$out/$api/labels.tsv" || fail "--api $api: labels are worse than said"
	# The row `all` of labels.tsv must count the right letters of letters.tsv.
	[ "$(cut -f 2 "$out/$api/letters.tsv" | sort -u | wc -l)" -eq 4 ] || fail "--api $api: not four recordings"
	[ "$(awk -F '\t' '$6 == $7' "$out/$api/letters.tsv" | wc -l)" -eq \
		"$(awk -F '\t' '$1 == "all" { print $4 }' "$out/$api/labels.tsv")" ] ||
		fail "--api $api: another sum than that of the letters"
done

# Usage.
for arguments in '--api some' '--errors x' '--nonsense' '--kinds'; do
	# shellcheck disable=SC2086
	"$score" --ktail "$ktail" $arguments >/dev/null 2>&1
	[ $? -eq 2 ] || fail "$arguments: another status than 2"
done
"$score" --ktail "$ktail" --only none-such --out "$out/none" >/dev/null 2>&1
[ $? -eq 2 ] || fail "no recording: another status than 2"
[ "$failures" -eq 0 ]
