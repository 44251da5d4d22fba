#!/bin/bash
# SPDX-License-Identifier: MIT
# A recording of the software GPU, annotated: which labels there are, whatever the run's
# times and polls, and which calls of the API drive what.
#   check-annotate-softgpu.sh BIN DATA
bin=$1 data=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
PATH=$bin:$PATH
export LTTNG_HOME=$out/home
mkdir "$LTTNG_HOME"

fail() {
	echo "FAILED: $*"
	[ ! -s "$out/said" ] || sed 's/^/  /' "$out/said"
	exit 1
}

ktail record --softgpu --api=wrap -o "$out/vadd" -- "$bin/corpus/vadd" --size 4096 \
	> /dev/null 2> "$out/said" || fail record
ktail --k 20 "$out/vadd" -o "$out/fsm.json" 2> "$out/said" || fail infer
ktail annotate --strict "$out/fsm.json" "$out/vadd" -o "$out/a.json" 2> "$out/said" ||
	fail annotate

# All labels of letters with their roles; no counts, as polls come as often as they come.
sed -n 's/^  "annotation": .*"unlabelled": \([0-9]*\), "labels": \[\([^]]*\)\].*/\1, \2/p' \
	"$out/a.json" | tr '{' '\n' | sed -E 's/, "count": .*//' | LC_ALL=C sort > "$out/labels.txt"
[ -z "$REGENERATE" ] || cp "$out/labels.txt" "$data/annotate-softgpu.txt"
cmp "$data/annotate-softgpu.txt" "$out/labels.txt" || {
	diff "$data/annotate-softgpu.txt" "$out/labels.txt"
	fail "labels"
}

# driven CALL LABEL: that call drives a transition with letters of that label. Which other
# letters are of the same transition depends on how often the run polled.
driven() {
	awk -v call="\"name\": \"$1" -v label="\"label\": \"$2\"" '
	/^    \{"from"/ { here = 0 }
	/^     "labels": / { here = index($0, label) }
	here && /^     "calls": / && index($0, call) { found = 1 }
	END { exit !found }' "$out/a.json" || fail "$2 is not in $1"
}
driven cuMemcpyHtoD 'submit: inline copy'
driven cuLaunchKernel 'submit: launch'
driven cuMemcpyDtoH 'submit: copy'
driven cuDevicePrimaryCtxRetain 'create channel group'
driven cuDevicePrimaryCtxRelease 'free memory'
exit 0
