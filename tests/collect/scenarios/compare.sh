# SPDX-License-Identifier: MIT
# Functions that compare recordings of scenarios with what is expected of them. The script that
# uses them sets bin, lib and expected, and has a function fail.

# Writes the letters of each word of a trace to TRACE.words/N.txt, N counting the words in
# the order of their names.
words_of() {
	"$bin/ktail" words "$1" -o "$1.words" || return
	n=0
	for file in "$1.words"/*.events; do
		grep -v '^#' "$file" >"$1.words/$n.txt"
		n=$((n + 1))
	done
}

# For scenarios whose order of letters varies: compares the count of each letter in all
# words with the lines of NAME.counts: LETTER N, or LETTER N+ for at least N, or words N.
compare_counts() { # TRACE SCENARIO
	words_of "$1" || fail "$2: no words"
	while read -r letter want; do
		if [ "$letter" = words ]; then
			got=$n
		else
			got=$(cat "$1.words"/*.txt | grep -c -x -F -e "$letter")
		fi
		if [ "$got" -lt "${want%+}" ] || { [ "$want" = "${want%+}" ] &&
			[ "$got" != "$want" ]; }; then
			fail "$2: $got of $letter, not $want"
		fi
	done <"$expected/$2.counts"
}

compare_words() { # TRACE SCENARIO
	words_of "$1" || fail "$2: no words"
	n=0
	while [ -f "$expected/$2.$n.txt" ]; do
		diff -u "$expected/$2.$n.txt" "$1.words/$n.txt" || fail "$2: word $n differs"
		n=$((n + 1))
	done
	[ ! -f "$1.words/$n.txt" ] || fail "$2: more than $n words"
}

status_of() { # prints the status of env LD_PRELOAD=... COMMAND, whose output goes to a file
	out=$1
	shift
	"$@" >"$out" 2>"$out.err"
	echo $?
}

# Checks the words of a trace, in whichever way is expected of the scenario.
compare() { # TRACE SCENARIO
	if [ -f "$expected/$2.counts" ]; then
		compare_counts "$1" "$2"
	else
		compare_words "$1" "$2"
	fi
}
