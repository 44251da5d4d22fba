#!/bin/sh
# SPDX-License-Identifier: MIT
# Workloads on the software GPU free all objects of the resource manager that they allocate, by the
# requests in a trace; the six objects of the open driver remain, which end with the process.
# Usage: test-leaks.sh BUILD
set -u
build=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"
failures=0

cat >"$scratch/expected" <<'CLASSES'
FERMI_VASPACE_A
HOPPER_USERMODE_A
HOPPER_USERMODE_A
NV01_DEVICE_0
NV01_ROOT_CLIENT
NV20_SUBDEVICE_0
CLASSES

# left: reads a list of ioctls and prints the classes of objects that were never freed, and the
# numbers of allocations and of requests to free.
cat >"$scratch/left.awk" <<'AWK'
$5 == "NV_ESC_RM_ALLOC" || $5 == "NV_ESC_RM_ALLOC_MEMORY" { class[$7] = $6; allocated++ }
$5 == "NV_ESC_RM_FREE" && !($(6) in class || $(7) in class) { print "freed twice: " $0 }
$5 == "NV_ESC_RM_FREE" { delete class[$6]; delete class[$7]; freed++ }
END {
	for (handle in class) print class[handle]
	printf "%d allocated, %d freed\n", allocated, freed >"/dev/stderr"
}
AWK

for workload in vadd 'copies --memory registered' 'copies --memory pageable' 'streams --streams 8' \
	'graphs --nodes 10 --launches 3' 'microbench --contexts 3 --streams 2 --requests 3'; do
	rm -rf "$scratch/trace"
	# shellcheck disable=SC2086 # words of a command line
	timeout 120 "$build/bin/ktail" record --softgpu --subbuf-size 262144 --num-subbuf 8 \
		-o "$scratch/trace" -- "$build/bin/corpus/"$workload >"$scratch/out" 2>&1 &&
		grep -q ' 0 lost, ' "$scratch/out" &&
		"$build/bin/ktail" decode --ioctls "$scratch/trace" >"$scratch/list" &&
		awk -f "$scratch/left.awk" "$scratch/list" 2>"$scratch/counts" |
		sort >"$scratch/left" && cmp -s "$scratch/left" "$scratch/expected" || {
		echo "FAILED: $workload: $(cat "$scratch/counts")"
		diff "$scratch/expected" "$scratch/left"
		cat "$scratch/out"
		failures=$((failures + 1))
	}
	echo "$workload: $(cat "$scratch/counts")"
done
[ "$failures" -eq 0 ]
