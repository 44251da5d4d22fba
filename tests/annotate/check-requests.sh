#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares requests and pairs of the traces that golden tables name with these tables.
# Usage: check-requests.sh REQUESTS-OF DATA CORPUS KTAIL
set -eu
requests=$1
data=$2
corpus=$3
ktail=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cd "$corpus/traces"
# shellcheck disable=SC2046
"$requests" $(awk -F '\t' 'NR > 1 { print $1 }' "$data/requests.tsv") >"$scratch/got.tsv"
diff "$data/requests.tsv" "$scratch/got.tsv"

# Each request is attributed to a poll by one of four rules: read, later, order, acquire.
awk -F '\t' 'NR > 1 && ($3 == 0 || $4 + $5 + $6 + $7 != $3) {
	print $1 ": " $3 " requests, " $4 + $5 + $6 + $7 " looked at"; wrong = 1
} END { exit wrong }' "$scratch/got.tsv"

cd "$corpus/calls"
# shellcheck disable=SC2046
"$requests" --calls $(awk -F '\t' 'NF == 1' "$data/request-calls.tsv") >"$scratch/calls.tsv"
diff "$data/request-calls.tsv" "$scratch/calls.tsv"

awk -f "$data/../attributed.awk" "$scratch/calls.tsv"

# The list of requests and the transitions in JSON name the same places of completion.
trace=micro-c2-s4-r10-mixed
"$ktail" "$trace" -o "$scratch/m.json" 2> "$scratch/err"
"$ktail" annotate "$scratch/m.json" "$trace" -o "$scratch/a.json" --requests "$scratch/list.tsv"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	$column["poll_transition"] != "" { n[$column["poll_transition"]]++ }
	END { for (at in n) print n[at] }' "$scratch/list.tsv" | sort -n > "$scratch/in-list"
# Each member of a transition has its own line.
sed -n 's/^ *"notices": \([0-9]*\)[},]*$/\1/p' "$scratch/a.json" | sort -n > "$scratch/in-machine"
test -s "$scratch/in-list"
diff "$scratch/in-machine" "$scratch/in-list"
