#!/bin/sh
# SPDX-License-Identifier: MIT
# Requests and pairs of all traces of the corpus, against a golden table.
# Usage: check-requests.sh REQUESTS-OF GOLDEN TRACE...
set -eu
requests=$1
golden=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$requests" "$@" >"$scratch/got.tsv"
diff "$golden" "$scratch/got.tsv"

# Each request of the corpus is noticed by somebody.
awk -F '\t' 'NR > 1 && ($3 == 0 || $4 + $5 + $6 + $7 != $3) {
	print $1 ": " $3 " requests, " $4 + $5 + $6 + $7 " looked at"; wrong = 1
} END { exit wrong }' "$golden"
