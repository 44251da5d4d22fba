#!/bin/bash
# SPDX-License-Identifier: MIT
# Annotates a recording of the software GPU. Checks the labels, which do not depend on the run's
# times and polls, and during which API calls letters with certain labels occur.
#   check-annotate-softgpu.sh BIN DATA
bin=$1
program=("$bin/ktail")
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/golden.sh"
cd "$2" || exit 2
PATH=$bin:$PATH
export LTTNG_HOME=$out/home
mkdir "$LTTNG_HOME"

expect 0 record --softgpu --api=wrap -o "$out/vadd" -- "$bin/corpus/vadd" --size 4096
expect 0 --k 20 "$out/vadd" -o "$out/fsm.json"
expect 0 annotate --strict "$out/fsm.json" "$out/vadd" -o "$out/a.json"

# The labels of letters and their roles are compared without counts, because the number of polls
# varies.
sed -n 's/^  "annotation": .*"unlabelled": \([0-9]*\), "labels": \[\([^]]*\)\].*/\1, \2/p' \
	"$out/a.json" | tr '{' '\n' | sed -E 's/, "count": .*//' | LC_ALL=C sort > "$out/labels.txt"
golden_file annotate-softgpu.txt "$out/labels.txt"

# driven CALL LABEL: checks that a transition with that label has the call in its list of calls.
# The other letters of the transition depend on how often the run polled.
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
