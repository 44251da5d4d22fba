#!/bin/sh
# SPDX-License-Identifier: MIT
# Requests and pairs of all traces of the corpus, against golden tables.
# Usage: check-requests.sh REQUESTS-OF DATA CORPUS
set -eu
requests=$1
data=$2
corpus=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$requests" "$corpus"/traces/* >"$scratch/got.tsv"
diff "$data/requests.tsv" "$scratch/got.tsv"

# Each request is noticed by somebody.
awk -F '\t' 'NR > 1 && ($3 == 0 || $4 + $5 + $6 + $7 != $3) {
	print $1 ": " $3 " requests, " $4 + $5 + $6 + $7 " looked at"; wrong = 1
} END { exit wrong }' "$scratch/got.tsv"

"$requests" --calls "$corpus"/calls/* >"$scratch/calls.tsv"
diff "$data/request-calls.tsv" "$scratch/calls.tsv"

# Each copy, launch and graph launch that was not captured rang a doorbell, is tied to all its
# requests and to where they are seen to be done; each copy's commands agree with its size.
awk -F '\t' '
	$1 == "name" { for (i = 1; i <= NF; i++) { at[$i] = i }; next }
	NF < 2 { trace = $1; next }
	{
		rang = $at["calls"] - $at["captured"]
		good = $at["without_doorbell"] == 0 && $at["tied"] == rang && $at["never"] == 0 &&
			$at["noticed_inside"] + $at["noticed_later"] == rang && $at["disagree"] == 0
		ways = $at["inline"] + $at["direct"] + $at["staged"] + $at["macro"] + $at["mixed"]
		if (!good || (index($1, "emcpy") && ways != rang)) {
			print trace ": " $0
			wrong = 1
		}
		rows++
	}
	END { exit wrong || rows == 0 }' "$scratch/calls.tsv"
