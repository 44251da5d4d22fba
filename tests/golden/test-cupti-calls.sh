#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the calls of a vector add on hardware as CUPTI and as the wrappers recorded them:
# the same functions with the same numbers, in the same order, with the same results. cuInit
# is left out, because it is under way when CUPTI begins. Pointers differ between the two
# processes.
# Usage: test-cupti-calls.sh TRACES EVENTS.awk
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

calls() { # TRACE: "enter NAME API ARGUMENTS", "exit NAME RESULT"
	babeltrace2 "$1" | awk -f "$2" | awk '{ $3 = ""; print }' | grep -v ' cuInit '
}

calls "$1/vadd-4k" "$2" >"$scratch/wrap" && calls "$1/vadd-4k-cupti" "$2" >"$scratch/cupti" &&
	[ "$(grep -c '^enter' "$scratch/cupti")" = 21 ] && diff -u "$scratch/wrap" "$scratch/cupti"
