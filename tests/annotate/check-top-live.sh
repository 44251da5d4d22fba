#!/bin/bash
# SPDX-License-Identifier: MIT
# Watches a program on the software GPU with ktail top while it is recorded into a live session:
# tables come while it runs, and add up to what ktail stats counts afterwards.
#   check-top-live.sh BIN LIB
here=$(dirname "$(readlink -f "$0")")
bin=$1 lib=$2 ktail=$1/ktail
. "$here/../words/lttng-session.sh"
out=$(mktemp -d)
. "$here/../words/live-session.sh"
program= watcher=
cleanup() {
	touch "$out/enough"
	for pid in $watcher $program $relay; do
		kill "$pid" 2> /dev/null
		wait "$pid" 2> /dev/null
	done
	session_cleanup
	rm -rf "$out"
}
trap cleanup EXIT

fail() {
	echo "FAILED: $*"
	tail -n 20 "$out"/said* "$out"/error* "$out/relay.log" 2> /dev/null
	exit 1
}

# work: runs a program again and again, until there is a file $out/enough
work() {
	rm -f "$out/enough"
	# The recorder comes before the software GPU's kernel driver.
	# shellcheck disable=SC2016 # expanded by the inner shell
	KTAIL_RECORD_API=wrap LIB=$lib "$ktail" softgpu sh -c 'while [ ! -e "$0" ]; do
		LD_PRELOAD=$LIB/libktail-record.so:$LD_PRELOAD "$@" || exit
		sleep 0.2
	done' "$out/enough" "$bin/corpus/microbench" --requests 20 --kind mixed > "$out/worked" 2>&1 &
	program=$!
}

finish() {
	touch "$out/enough"
	wait "$program" || fail "the program failed: $(cat "$out/worked")"
	program=
}

# top SESSION OPTION...
top() {
	local session=$1 url
	shift
	url=$(url_of "$session")
	# Empty before the program starts, as the test waits for a table in it.
	: > "$out/said-$session"
	"$ktail" top "$@" "$url" > "$out/said-$session" 2> "$out/error-$session" &
	watcher=$!
}

# added COLUMN SESSION: prints the sum over all tables for each call, and for all of them
added() {
	awk -F '  +' -v name="$1" '
		# A table has no column of zeros.
		$1 == "call" { at = 0; for (i = 2; i <= NF; i++) if ($i == name) at = i; next }
		at && NF > 1 && !/^#/ { sub(/^\(outside of calls\)/, "-"); sum[$1] += $at }
		END { for (call in sum) if (sum[call] > 0) print call, sum[call] }' "$out/said-$2" |
		LC_ALL=C sort
}

# counted COLUMN TRACE: the same, by ktail stats
counted() {
	"$ktail" stats -f tsv "$2" 2> /dev/null | awk -F '\t' -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		{ sub(/^\(outside of calls\)/, "-"); if ($at > 0) print $1, $at }' | LC_ALL=C sort
}

tables() {
	[ "$(grep -c '^# .*, second [0-9]*$' "$out/said-$1")" -ge "$2" ]
}

# --- from before the program starts to the end of the session ---
live whole
listed whole
top whole --by call
work
soon tables whole 3 || fail "not three tables while it runs"
kill -0 $program && kill -0 $watcher || fail "ended early"
finish
lttng -q stop whole && lttng -q destroy whole || exit 1
wait $watcher || fail "status $?"
watcher=
trace=$(find "$out/relay" -maxdepth 2 -name 'whole*')
for column in calls doorbells bytes ioctls launches; do
	added $column/s whole > "$out/added"
	counted $column "$trace" > "$out/counted"
	[ -s "$out/added" ] || fail "no $column"
	diff "$out/added" "$out/counted" || fail "$column: other sums than ktail stats"
done

# --- a session that runs already; the end after two tables, and by a signal ---
live joined
work
sleep 1
listed joined
top joined --count 2 --by channel
wait $watcher || fail "--count: status $?"
watcher=
[ "$(grep -c '^# ' "$out/said-joined")" = 2 ] || fail "--count: $(cat "$out/said-joined")"
grep -q '^microbench  *[0-9]*  *0x5c' "$out/said-joined" || fail "no channel"
kill -0 $program || fail "--count: the program has ended"
top joined --by class --sort class
soon tables joined 1 || fail "no table"
kill -INT $watcher
wait $watcher || fail "interrupted: status $?"
watcher=
tail -n 1 "$out/said-joined" | grep -q '^all ' || fail "interrupted: no whole table"
[ ! -s "$out/error-joined" ] || fail "interrupted: a message"
finish
lttng -q destroy joined || exit 1

# --- nothing to watch ---
live silent
listed silent
top silent
# The process that reads is a child of the one that has set up how signals are handled.
soon grep -q . /proc/$watcher/task/$watcher/children || fail "nothing is read"
kill -INT $watcher
wait $watcher || fail "interrupted before an event: status $?"
watcher=
lttng -q destroy silent || exit 1
"$ktail" top net://127.0.0.1:1/host/nobody/nothing > "$out/said-nobody" 2> "$out/error-nobody"
[ $? = 2 ] || fail "a relay that is not there"
grep -q 'lttng-relayd' "$out/error-nobody" || fail "a relay that is not there: $(cat "$out/error-nobody")"
exit 0
