#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the calls of a vector add on hardware, as recorded by CUPTI and by the wrappers: the same
# functions with the same arguments and results, in the same order. Pointers are not compared,
# because they differ between the two processes. cuInit is left out, because CUPTI begins during it.
# Usage: test-cupti-calls.sh TRACES EVENTS.awk
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

calls() { # TRACE AWK: prints "enter NAME API ARGUMENTS" and "exit NAME RESULT" of each call
	babeltrace2 "$1" | awk -f "$2" | awk '{ $3 = ""; print }' | grep -v ' cuInit '
}

calls "$1/vadd-4k" "$2" >"$scratch/wrap" && calls "$1/vadd-4k-cupti" "$2" >"$scratch/cupti" &&
	[ "$(grep -c '^enter' "$scratch/cupti")" = 21 ] && diff -u "$scratch/wrap" "$scratch/cupti"
