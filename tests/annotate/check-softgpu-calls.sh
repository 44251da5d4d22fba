#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs on the software GPU, recorded with their calls of the API: what activity tells of
# them, how many calls there are, and how many letters of the alphabet api.
#   check-softgpu-calls.sh BIN TEST-ACTIVITY DATA
bin=$1 test=$2 data=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LTTNG_HOME=$scratch/home LIBBABELTRACE2_NO_DLCLOSE=1
mkdir "$LTTNG_HOME"

for workload in vadd graphs streams copies; do
	[ -x "$bin/corpus/$workload" ] || continue
	timeout 120 "$bin/ktail" record --softgpu --api=wrap --subbuf-size 262144 --num-subbuf 4 \
		-o "$scratch/$workload" -- "$bin/corpus/$workload" > /dev/null 2> "$scratch/said" ||
		{ echo "$workload: record"; cat "$scratch/said"; exit 1; }
	said=$(sed -n 's/.* unseen; \([0-9]*\) calls.*/\1/p' "$scratch/said")
	calls=$("$test" --calls "$scratch/$workload") || exit 1
	[ -n "$said" ] && [ "$said" = "$calls" ] ||
		{ echo "$workload: $said calls said, $calls told"; exit 1; }
	"$test" "$data/calls" "$scratch/$workload" > "$scratch/log" 2>&1 ||
		{ echo "$workload: activity"; cat "$scratch/log"; exit 1; }
	"$bin/ktail" words --alphabet api "$scratch/$workload" -o "$scratch/words" || exit 1
	letters=$(cat "$scratch/words"/*.events | grep -vc '^#')
	rm -rf "$scratch/words"
	[ "$letters" = "$calls" ] ||
		{ echo "$workload: $letters letters of the alphabet api"; exit 1; }
done
