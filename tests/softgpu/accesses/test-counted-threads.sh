#!/bin/sh
# SPDX-License-Identifier: MIT
# Eight threads on the software GPU, with --access=exact: the trace has as many accesses of each
# thread, mapping, offset and kind as the program counts, without patches, with them, and with each
# site patched at its first fault. While they submit, no ring entry differs from the stores.
# Usage: test-counted-threads.sh BUILD
#        (KTAIL_ACCESS_SEEDS=N in the environment: N seeds; KTAIL_ACCESS_FIRST: the first)
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../collect/counters.sh"
build=$1
seed=${KTAIL_ACCESS_FIRST:-0}
end=$((seed + ${KTAIL_ACCESS_SEEDS:-4}))
softgpu=$build/lib/ktail-softgpu/libktail-softgpu.so
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"

fail() {
	echo "FAILED: seed $seed: $*"
	sed 's/^/  /' "$scratch/err"
	failures=$((failures + 1))
}

# record FAULTS SUBMIT OPTION...: SUBMIT is empty or `submit`.
record() {
	KTAIL_RECORD_HOT_FAULTS=$1
	submit=$2
	export KTAIL_RECORD_HOT_FAULTS
	shift 2
	rm -rf "$scratch/trace"
	LD_PRELOAD=$softgpu timeout 120 "$build/bin/ktail-record" -v --lossless --access=exact \
		"$@" -o "$scratch/trace" -- "$build/bin/counted-threads" "$seed" $submit \
		>"$scratch/counts" 2>"$scratch/err" || fail "$*: status $?"
	grep -q ' 0 lost' "$scratch/err" || fail "$*: events are lost"
	babeltrace2 "$scratch/trace" >"$scratch/text"
	awk -f "$here/counted-accesses.awk" "$scratch/counts" "$scratch/text" >"$scratch/said"
	grep -q '^[1-9][0-9]* accesses$' "$scratch/said" && [ "$(wc -l <"$scratch/said")" = 1 ] || {
		fail "$*: other accesses than the program counts"
		head -n 20 "$scratch/said"
	}
	case $* in
	*patch*) [ "$(counter "$scratch/err" 'patched accesses')" -gt 1000 ] ;;
	*) ! grep -q '[1-9]  patched' "$scratch/err" ;;
	esac || fail "$*: not as many accesses are patched as should be"
	case $* in
	*check*) has_counters "$scratch/err" '0 unobserved entries' \
		'0 different GP_PUTs' '0 different entries' &&
		! grep -q 'differ from the observed stores' "$scratch/err" ;;
	esac || fail "$*: rings are not what the stores wrote"
}

while [ "$seed" -lt "$end" ]; do
	record 16 '' --doorbell=protect
	record 16 '' --doorbell=patch
	record 1 '' --doorbell=patch
	record 16 submit --rings=check --doorbell=protect
	record 16 submit --rings=check --doorbell=patch
	record 1 submit --rings=check --doorbell=patch
	seed=$((seed + 1))
done
[ "$failures" = 0 ]
