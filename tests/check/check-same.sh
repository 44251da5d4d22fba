#!/bin/bash
# SPDX-License-Identifier: MIT
# ktail check finds the same misfits in a streamed trace as in the trace's collected words. Each
# machine reads all the words that it was inferred from.
#   check-same.sh KTAIL TRACE...
ktail=$1
shift
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# bare FILE: prints the file without time, pid, tid and seq, which a file of one word does not have
bare() {
	sed -E 's/"time": [^,]*, "pid": [^,]*, "tid": [^,]*, "seq": [^,}]*,/"nowhere",/' "$1"
}

# compare TRACE MACHINE OPTION...
compare() {
	local trace=$1 machine=$2 status
	shift 2
	"$ktail" check --all --limit 20 "$@" "$machine" "$trace" -o "$out/trace.json" \
		> "$out/said" 2> /dev/null
	status=$?
	rm -rf "$out/words"
	"$ktail" words "$@" "$trace" -o "$out/words" 2> /dev/null || exit 1
	files=()
	while read -r word; do
		files+=("$(grep -lxF -e "#ktail name $word" "$out/words"/*.events)")
	done < <(names "$out/trace.json")
	"$ktail" check --all --limit 20 "$@" "$machine" "${files[@]}" -o "$out/words.json" \
		> /dev/null 2>&1
	[ $? = $status ] || { echo "$trace $*: $status for the trace, else for words"; exit 1; }
	diff <(bare "$out/trace.json") <(bare "$out/words.json") ||
		{ echo "$trace $*: found otherwise in words"; exit 1; }
	found=$status
}

# The words' names, in the order of the trace.
names() {
	sed -nE '/^    \{"name": /{ s/^    \{"name": "(.*)", "letters": .*/\1/; s/\\(.)/\1/g; p }' "$1"
}

machine= other=
for trace in "$@"; do
	for how in "table1 process" "table1 thread" "submission channel" "methods process" \
		"roles process" "roles thread"; do
		read -r alphabet unit <<< "$how"
		"$ktail" --k 20 --alphabet $alphabet --word $unit "$trace" -o "$out/own.json" 2> /dev/null
		status=$?
		[ $status = 3 ] && continue
		[ $status = 0 ] || exit 1
		compare "$trace" "$out/own.json" --alphabet $alphabet --word $unit
		[ "$found" = 0 ] || { echo "$trace $how: does not fit its own machine"; exit 1; }
		other=$out/$alphabet-$unit.json
		if [ -e "$other" ]; then
			compare "$trace" "$other" --alphabet $alphabet --word $unit
		fi
		mv "$out/own.json" "$other"
	done
done
