#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the alphabets submission and methods on recorded traces: words by process and channel equal
# the golden ones, words by process, thread and channel have the same letters in total, the plugin
# writes the same words, and the words give the same machine as the trace.
# REGENERATE=1 writes the golden words.
#   check-commands.sh KTAIL PLUGIN-FOLDER|none GOLDEN TRACE-WITH-UNREAD TRACE-WITHOUT-DOORBELLS TRACE...
ktail=$1 plugins=$2 golden=$3 odd=$4 bare=$5
shift 5
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

fail() {
	echo "FAILED: $*"
	[ ! -s "$out/said" ] || sed 's/^/  /' "$out/said"
	exit 1
}

# letters FOLDER: prints the letters of all words in the folder, sorted
letters() {
	cat "$1"/*.events | grep -v '^#' | sort
}

for trace in "$@"; do
	name=${trace##*/}
	for alphabet in submission methods; do
		for unit in process thread channel; do
			words=$out/$name-$alphabet-$unit
			"$ktail" words -a $alphabet -w $unit "$trace" -o "$words" 2> "$out/said" ||
				fail "$name $alphabet $unit: status $?"
			letters "$words" > "$out/letters"
			letters "$out/$name-$alphabet-process" | cmp -s - "$out/letters" ||
				fail "$name: $alphabet by $unit: other letters"
			if [ "$plugins" != none ]; then
				babeltrace2 --plugin-path="$plugins" convert "$trace" \
					--component=sink.ktail.words \
					--params="output=\"$out/plugin\",word=\"$unit\",name=\"$name\",alphabet=\"$alphabet\"" \
					2> "$out/said" || fail "$name $alphabet $unit: plugin"
				diff -r "$words" "$out/plugin" > "$out/said" || fail "plugin: other words"
				rm -r "$out/plugin"
			fi
			"$ktail" --k 3 -a $alphabet -w $unit "$trace" -o "$out/a.json" 2> "$out/said" ||
				fail "$name $alphabet $unit: machine"
			"$ktail" --k 3 -a $alphabet -w $unit "$words"/*.events -o "$out/b.json" \
				2> "$out/said" || fail "$name $alphabet $unit: machine of the words"
			grep -q "\"alphabet\": {\"name\": \"$alphabet\", \"rules\": \[\]}" "$out/a.json" ||
				fail "the alphabet is not in the machine"
			grep -q "\"word\": \"$unit\"" "$out/a.json" || fail "the unit is not in the machine"
			grep -v '"alphabet":' "$out/a.json" > "$out/a"
			grep -v '"alphabet":' "$out/b.json" | cmp -s - "$out/a" || fail "other machines"
		done
		for unit in process channel; do
			words=$name-$alphabet-$unit
			( cd "$out/$words" && cat $(ls | LC_ALL=C sort) ) > "$out/words.txt"
			[ -z "$REGENERATE" ] || cp "$out/words.txt" "$golden/$words.txt"
			diff "$golden/$words.txt" "$out/words.txt" > "$out/said" || fail "$words"
		done
	done
done

# ktail reports if a trace has no submissions, and how many letters stand for missing commands.
"$ktail" words -a methods "$bare" -o "$out/bare" 2> "$out/said"
[ $? = 3 ] || fail "$bare: methods"
grep -q 'this alphabet needs traces with submissions' "$out/said" ||
	fail "$bare: not said what methods needs"
"$ktail" words -a submission "$odd" -o "$out/odd" 2> "$out/said" || fail "$odd: status $?"
grep -q "read $odd: 1 of 3 letters stand for commands that are not in the trace" "$out/said" ||
	fail "$odd: not said that a letter is unread"
"$ktail" words "$odd" -o "$out/odd-table1" 2> "$out/said" || fail "$odd: status $?"
! grep -q 'letters stand for commands' "$out/said" || fail "$odd: table1 has no commands"
for trace in "$@"; do
	for alphabet in submission methods; do
		rm -rf "$out/again"
		"$ktail" words -a $alphabet "$trace" -o "$out/again" 2> "$out/said" || fail "$trace"
		unread=$(letters "$out/again" | grep -c 'unread$')
		said=$(sed -n 's/.*: \([0-9]*\) of [0-9]* letters stand for commands that .*/\1/p' "$out/said")
		[ "${said:-0}" = "$unread" ] || fail "$trace: $unread $alphabet unread, $said said"
	done
done

# Words by channel exist only with command alphabets.
for alphabet in table1 rm; do
	"$ktail" words -a $alphabet -w channel "$trace" -o "$out/none" 2> "$out/said"
	[ $? = 2 ] && [ ! -e "$out/none" ] || fail "--word channel with $alphabet"
	"$ktail" --k 2 -a $alphabet -w channel "$trace" > "$out/none" 2> "$out/said"
	[ $? = 2 ] && [ ! -s "$out/none" ] || fail "ktail --word channel with $alphabet"
	rm "$out/none"
done
grep -q 'only with the alphabets submission and methods, not with rm' "$out/said" ||
	fail "does not say with which alphabets"
"$ktail" words -w channels "$trace" -o "$out/none" 2> "$out/said"
[ $? = 2 ] || fail "--word channels"
if [ "$plugins" != none ]; then
	babeltrace2 --plugin-path="$plugins" convert "$trace" --component=sink.ktail.words \
		--params="output=\"$out/none.d\",word=\"channel\"" 2> "$out/said" &&
		fail "the plugin: channels with table1"
	[ ! -e "$out/none.d" ] || fail "the plugin wrote"
fi
exit 0
