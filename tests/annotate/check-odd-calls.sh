#!/bin/bash
# SPDX-License-Identifier: MIT
# Renames a field of the call events, so that no field has the expected name: reading for activity
# and reading for words still succeed and agree, and only without correlations there are no calls.
#   check-odd-calls.sh TEST-ACTIVITY KTAIL DATA
test=$1 ktail=$2 data=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# check FIELD CALLS
check() {
	local other=${1%?}0
	rm -rf "$scratch/odd"
	cp -r "$data/calls" "$scratch/odd" && chmod -R u+w "$scratch/odd"
	# CTF's metadata has "_" before each name of a field.
	find "$scratch/odd" -name metadata -exec sed -i "s/\<_$1\>/_$other/g" {} +
	"$test" "$data/calls" "$scratch/odd" > "$scratch/log" 2>&1 || {
		echo "FAILED: without $1"
		cat "$scratch/log"
		failed=1
	}
	rm -rf "$scratch/words"
	"$ktail" words --alphabet table1 "$scratch/odd" -o "$scratch/words" > "$scratch/log" 2>&1 || {
		echo "FAILED: words without $1"
		cat "$scratch/log"
		failed=1
	}
	calls=$("$test" --calls "$scratch/odd")
	[ "$calls" = "$2" ] || {
		echo "FAILED: without $1 $calls calls, not $2"
		failed=1
	}
}

check nothing-of-that-name 14
check correlation 0
check arguments 14
check api 14
exit $failed
