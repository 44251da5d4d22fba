#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs on the software GPU, recorded with their API calls: the recorder, the trace and the
# letters of the alphabet api count the same calls, and test-activity finds no fault in the trace.
#   check-softgpu-calls.sh BIN TEST-ACTIVITY DATA
bin=$1 test=$2 data=$3
. "$(dirname "$(readlink -f "$0")")/../collect/counters.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LTTNG_HOME=$scratch/home LIBBABELTRACE2_NO_DLCLOSE=1
mkdir "$LTTNG_HOME"

for workload in vadd graphs streams copies; do
	[ -x "$bin/corpus/$workload" ] || continue
	timeout 120 "$bin/ktail" record -v --softgpu --api=wrap --subbuf-size 262144 --num-subbuf 4 \
		-o "$scratch/$workload" -- "$bin/corpus/$workload" > /dev/null 2> "$scratch/stderr" ||
		{ echo "$workload: record"; cat "$scratch/stderr"; exit 1; }
	counted=$(counter "$scratch/stderr" 'API calls')
	calls=$("$test" --calls "$scratch/$workload") || exit 1
	[ -n "$counted" ] && [ "$counted" = "$calls" ] ||
		{ echo "$workload: the recorder counted $counted calls, the trace has $calls"; exit 1; }
	"$test" "$data/calls" "$scratch/$workload" > "$scratch/log" 2>&1 ||
		{ echo "$workload: activity"; cat "$scratch/log"; exit 1; }
	"$bin/ktail" words --alphabet api "$scratch/$workload" -o "$scratch/words" || exit 1
	letters=$(cat "$scratch/words"/*.events | grep -vc '^#')
	rm -rf "$scratch/words"
	[ "$letters" = "$calls" ] ||
		{ echo "$workload: $letters letters of the alphabet api"; exit 1; }
	[ "$workload" != vadd ] || "$bin/ktail" decode --brief "$scratch/vadd" > "$scratch/brief" || exit 1
done

# The launch and the upload of its code have the kernel's name.
for line in '=> launch qmd .* kernel vector_add ' '=> copy-inline .*, upload of code of kernel vector_add$'; do
	grep -q "$line" "$scratch/brief" || { echo "vadd: no line '$line'"; cat "$scratch/brief"; exit 1; }
done
