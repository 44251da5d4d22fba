#!/bin/bash
# SPDX-License-Identifier: MIT
# Places letters of traces in machines of several alphabets and units of words.
#   check-placement.sh TEST-PLACEMENT KTAIL DATA CORPUS
test=$1 ktail=$2 data=$3 corpus=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# check fits|misfits TRACE-OF-THE-MACHINE TRACE OPTION...
check() {
	"$ktail" "${@:4}" "$2" -o "$scratch/m.json" 2> "$scratch/log" || { cat "$scratch/log"; failed=1; return; }
	"$test" "$scratch/m.json" "$3" "$1" > "$scratch/log" 2>&1 || {
		echo "FAILED: $*"
		cat "$scratch/log"
		failed=1
	}
}

# ktail check must also find that streams-polling does not fit the machine of vadd-4k.
"$ktail" --k 4 "$corpus/vadd-4k" -o "$scratch/m.json"
"$ktail" check "$scratch/m.json" "$corpus/streams-polling" > "$scratch/check"
[ $? -eq 1 ] || { echo "FAILED: streams-polling fits"; failed=1; }

check fits "$corpus/vadd-4k" "$corpus/vadd-4k" --k 4
check misfits "$corpus/vadd-4k" "$corpus/streams-polling" --k 4
check fits "$corpus/vadd-4k" "$corpus/vadd-4k" --k 3 --word thread
check fits "$corpus/vadd-4k" "$corpus/vadd-4k" --k 3 --alphabet rm
check fits "$corpus/vadd-4k" "$corpus/vadd-4k" --k 2 --alphabet submission
check fits "$corpus/vadd-4k" "$corpus/vadd-4k" --k 2 --alphabet submission --word channel
check fits "$corpus/vadd-4k" "$corpus/vadd-4k" --k 1 --alphabet methods --word channel
for k in 1 3; do
	for word in process thread; do
		check fits "$data/calls" "$data/calls" --k $k --word $word
		check fits "$data/calls" "$data/calls" --k $k --word $word --alphabet api
		check fits "$data/lossy" "$data/lossy" --k $k --word $word --alphabet submission
		check fits "$data/submissions" "$data/submissions" --k $k --word $word
	done
	check fits "$data/lossy" "$data/lossy" --k $k --alphabet methods --word channel
	check misfits "$data/calls" "$data/ioctls" --k $k
done
exit $failed
