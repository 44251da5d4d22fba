#!/bin/bash
# SPDX-License-Identifier: MIT
# Records random processes with API calls, missing events and returns without a call, and compares
# the calls to which events are attributed with those of the oracle.
#   check-random-calls.sh TEST-ACTIVITY EMIT PROVIDER DATA
here=$(dirname "$(readlink -f "$0")")
test=$1 EMIT=$2 PROVIDER=$3 data=$4
. "$here/../words/lttng-session.sh"
folder=$scratch/trace
session_open "$folder" --subbuf-size=64K --num-subbuf=8
for seed in 1 2 3 4 5 6 7 8; do
	"$test" --script $seed > "$scratch/script" && emit < "$scratch/script" || exit 1
done
session_close
LIBBABELTRACE2_NO_DLCLOSE=1 "$test" "$data/calls" "$folder"
