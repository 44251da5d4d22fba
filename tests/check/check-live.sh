#!/bin/bash
# SPDX-License-Identifier: MIT
# Watches a program while it is recorded: words that do not fit are reported while it runs.
#   check-live.sh EMIT PROVIDER KTAIL PLUGIN-FOLDER|none
here=$(dirname "$(readlink -f "$0")")
EMIT=$1 PROVIDER=$2 ktail=$3 plugins=$4
. "$here/../words/lttng-session.sh"
out=$(mktemp -d)
. "$here/../words/live-session.sh"
program= watcher=
cleanup() {
	exec 3>&-
	for pid in $program $watcher $relay; do
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

# Letters that fit: two letters alternate.
{
	printf 'begin app\n'
	for _ in 1 2 3 4 5 6; do
		printf 'ioctl nvidiactl 1 42 0 0 0\nmap sys 1 0\n'
	done
	printf 'end exit\n'
} > "$out/fitting"
session_open "$out/taught"
emit < "$out/fitting" || exit 1
session_close
"$ktail" --k 1 "$out/taught" -o "$out/m.json" || exit 1

# watch NAME COMMAND...: a recorded program fits, then does not, and goes on until that is reported
watch() {
	local session=$1
	shift
	live "$session"
	url=$(url_of "$session")
	listed "$session"
	"$@" "$url" > "$out/said-$session" 2> "$out/error-$session" &
	watcher=$!
	# Events recorded before the connection need not be received.
	sleep 1
	mkfifo "$out/script-$session"
	"$EMIT" "$PROVIDER" < "$out/script-$session" &
	program=$!
	exec 3> "$out/script-$session"
	grep -v '^end' "$out/fitting" >&3
	sleep 1
	[ ! -s "$out/said-$session" ] || fail "told of what fits"
	echo 'doorbell' >&3
	soon grep -q 'app.0: letter 12 does not fit: W:reg, .* event 13$' "$out/said-$session" ||
		fail "not told while it runs"
	kill -0 $program || fail "the program does not run any more"
	printf 'ioctl nvidiactl 1 42 0 0 0\nend exit\n' >&3
	exec 3>&-
	wait $program || fail "the program failed"
	program=
	lttng -q stop "$session" && lttng -q destroy "$session" || exit 1
	wait $watcher
	status=$?
	watcher=
	grep -q 'app.0: 14 letters, 1 misfit$' "$out/said-$session" ||
		fail "no summary"
}

exec_bt() {
	exec babeltrace2 --plugin-path "$plugins" --input-format=lttng-live "$1" \
		--component sink.ktail.check --params "fsm=\"$out/m.json\",all=yes"
}
# stop NAME COMMAND...: a watcher that is interrupted reports what it has read so far
stop() {
	local session=$1
	shift
	live "$session"
	"$@" "$(url_of "$session")" \
		> "$out/said-$session" 2> "$out/error-$session" &
	watcher=$!
	{ grep -v '^end' "$out/fitting"; echo doorbell; sleep 2; } | emit
	soon grep -q 'does not fit: W:reg' "$out/said-$session" || fail "not told"
	kill -INT $watcher
	wait $watcher
	status=$?
	watcher=
	grep -q 'app.0: 13 letters, 1 misfit (its end is truncated)$' \
		"$out/said-$session" || fail "no summary for who stops watching"
	lttng -q destroy "$session" || exit 1
}

bt() {
	(exec_bt "$1")
}
filtered() {
	babeltrace2 --plugin-path "$plugins" --input-format=lttng-live "$1" \
		--component filter.ktail.normalize \
		--component sink.ktail.check --params "fsm=\"$out/m.json\",all=yes"
}
exec_front() {
	exec "$ktail" check --all "$out/m.json" "$1"
}
front() {
	"$ktail" check --all "$out/m.json" "$1"
}
watch zero front
[ $status = 1 ] || fail "ktail check: $status"
grep -q '^zero/app.0: 14' "$out/said-zero" || fail "another name"
stop four exec_front
[ $status = 1 ] || fail "ktail check, stopped: $status"

# The same when the relay daemon does not answer any more.
live five
exec_front "$(url_of five)" \
	> "$out/said-five" 2> "$out/error-five" &
watcher=$!
{ grep -v '^end' "$out/fitting"; echo doorbell; sleep 2; } | emit
soon grep -q 'does not fit: W:reg' "$out/said-five" || fail "not told"
kill -STOP $relay
sleep 1
kill -INT $watcher
soon grep -q 'app.0: 13 letters, 1 misfit' "$out/said-five" || {
	kill -CONT $relay
	fail "no summary while the relay daemon does not answer"
}
kill -CONT $relay
wait $watcher
[ $? = 1 ] || fail "ktail check, stopped without an answer"
watcher=
lttng -q destroy five || exit 1

nobody=host/nobody/nothing
"$ktail" check "$out/m.json" net://127.0.0.1:$((port + 2))/$nobody > "$out/said" 2> "$out/error"
[ $? = 3 ] || fail "a session that is not there"
"$ktail" check "$out/m.json" net://127.0.0.1:1/$nobody > "$out/said" 2> "$out/error"
[ $? = 2 ] || fail "a relay that is not there"
if [ "$plugins" != none ]; then
	watch one bt
	[ $status = 0 ] || fail "babeltrace2: $status"
	watch two filtered

	stop three exec_bt
fi
