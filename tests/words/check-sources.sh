#!/bin/bash
# SPDX-License-Identifier: MIT
# Processes recorded both from user space and by the kernel are read once: words and figures of the
# two traces together equal those of one trace alone. The kernel's trace is made from the user-space
# one, with the names of the module's events and without accesses.
#   check-sources.sh KTAIL TEST-INSTANCES OTHER TRACE...
#     OTHER   a trace of other processes than any TRACE
ktail=$1 instances=$2 other=$(realpath "$3")
shift 3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
set -e

# patch FILE PATTERN TEXT: overwrites the beginning of each match of the pattern in the file
patch() {
	LC_ALL=C grep -obUaP "$2" "$1" | cut -d: -f1 | while read -r at; do
		printf %s "$3" | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
	done
}

# as_kernel FROM TO: copies a trace as if the kernel had recorded it, with another UUID
as_kernel() {
	local metadata file hex
	cp -r "$1" "$2"
	chmod -R u+w "$2"
	metadata=$(find "$2" -name metadata)
	hex=$(od -An -tx1 -j4 -N16 "$metadata" | tr -d '\n')
	LC_ALL=C sed -i 's/"gpu_stack:access"/"gpu_stack_hidden"/; s/"gpu_stack:/"gpu_stack_/' "$metadata"
	find "$2" -type f -size +0 ! -path '*/index/*' | while read -r file; do
		patch "$file" "${hex// /\\x}" Z # byte 0x5a
	done
	hex=${hex// /}
	patch "$metadata" "${hex:0:8}-" 5a
}

# tell FOLDER OPTION...: stores the output of all programs on FOLDER/trace in FOLDER/said
tell() {
	local at=$1
	shift
	rm -rf "$at/said"
	mkdir "$at/said"
	(
		cd "$at"
		"$ktail" words "$@" trace -o said/words 2> said/words.2
		"$ktail" words -a rm -w thread "$@" trace -o said/threads 2> said/threads.2
		"$ktail" infer --k 2 "$@" trace -o said/fsm.json 2> said/infer.2
		"$ktail" check "$@" said/fsm.json trace > said/check 2> said/check.2
		"$ktail" annotate "$@" said/fsm.json trace -o said/annotated.json 2> said/annotate.2
		for by in call channel class; do
			"$ktail" stats --by $by -f csv "$@" trace > said/$by 2> said/$by.2
		done
		"$ktail" decode "$@" trace > said/decode 2> said/decode.2
		"$ktail" decode --stats "$@" trace > said/tally 2> said/tally.2
		"$ktail" decode --ioctls "$@" trace > said/ioctls 2> said/ioctls.2
	) || true # some programs find nothing in some traces and exit with an error
	# The tracer of each source reports discarded events of its own.
	sed -i '/the tracer discarded/d' "$at"/said/*.2
}

for trace in "$@"; do
	rm -rf "$out"/*
	mkdir -p "$out/user" "$out/kernel" "$out/both/trace"
	cp -r "$trace" "$out/user/trace"
	as_kernel "$trace" "$out/kernel/trace"
	cp -r "$out/user/trace" "$out/both/trace/user"
	cp -r "$out/kernel/trace" "$out/both/trace/kernel"
	for side in user kernel; do
		tell "$out/$side"
		tell "$out/both" --source $side
		diff -r "$out/$side/said" "$out/both/said" ||
			{ echo "$trace: both, --source $side: not as $side alone"; exit 1; }
	done
	tell "$out/both"
	diff -r "$out/user/said" "$out/both/said" ||
		{ echo "$trace: both: not as user space alone"; exit 1; }
	! diff -rq "$out/user/said" "$out/kernel/said" > "$out/differ" ||
		{ echo "$trace: both sides say the same"; exit 1; }
	"$instances" "$out/both/trace" > "$out/lives" || { cat "$out/lives"; exit 1; }

	# Processes that only the kernel recorded are read, too.
	rm -r "$out/both/trace/kernel"
	as_kernel "$other" "$out/both/trace/kernel"
	rm -r "$out/kernel/trace"
	cp -r "$out/both/trace/kernel" "$out/kernel/trace"
	tell "$out/kernel"
	tell "$out/both"
	for side in user kernel; do
		cat "$out/$side"/said/words/*.events
	done | grep -v '^#ktail \(name\|version\)' | sort > "$out/expected"
	cat "$out/both"/said/words/*.events | grep -v '^#ktail \(name\|version\)' | sort | diff "$out/expected" - ||
		{ echo "$trace, $other: other words together"; exit 1; }
done
