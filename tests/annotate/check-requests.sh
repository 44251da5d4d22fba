#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares requests and pairs of the traces that golden tables name with these tables.
# Usage: check-requests.sh REQUESTS-OF DATA CORPUS
set -eu
requests=$1
data=$2
corpus=$3
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
