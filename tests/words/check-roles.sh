#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the alphabet roles on a recorded trace: words equal the golden ones, also by the plugin; each
# doorbell comes after commands and a ring entry; a machine keeps the alphabet and reads its own words;
# a note about traces without roles is written once; checks of live sessions refuse the alphabet.
# REGENERATE=1 writes the golden words.
#   check-roles.sh KTAIL PLUGIN-FOLDER|none GOLDEN TRACE
ktail=$1 plugins=$2 golden=$3 trace=$4
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

fail() {
	echo "FAILED: $*"
	[ ! -s "$out/said" ] || sed 's/^/  /' "$out/said"
	exit 1
}

"$ktail" words -a roles "$trace" -o "$out/words" 2> "$out/said" || fail "words"
cat "$out/words"/*.events > "$out/words.txt"
[ -z "$REGENERATE" ] || cp "$out/words.txt" "$golden"
diff "$golden" "$out/words.txt" > "$out/said" || fail "other words"
if [ "$plugins" != none ]; then
	babeltrace2 --plugin-path="$plugins" convert "$trace" --component=sink.ktail.words \
		--params="output=\"$out/plugin\",name=\"$(basename "$trace")\",alphabet=\"roles\"" \
		2> "$out/said" || fail "plugin"
	diff -r "$out/words" "$out/plugin" > "$out/said" || fail "plugin: other words"
fi

# Apart from accesses and doorbells, the letters are those of table1, in the same order.
"$ktail" words "$trace" -o "$out/table1" 2> "$out/said" || fail "table1"
grep -v '^#\|^[RW]:' "$out/words.txt" > "$out/others"
cat "$out/table1"/*.events | grep -v '^#\|^[RW]:' | cmp -s - "$out/others" || fail "other ioctls"
doorbells=$(cat "$out/table1"/*.events | grep -cx W:reg)
[ "$(grep -cx 'W:doorbell\(:unpolled\)\?' "$out/words.txt")" = "$doorbells" ] || fail "doorbells"
# Each W:doorbell has its R:poll before the next doorbell, at most eight letters later.
awk '/^#/ { next }
	$0 == "R:poll" { bad = bad || !open || n > 8; open = 0; next }
	/^W:doorbell/ { bad = bad || open; open = $0 == "W:doorbell"; n = 0; next }
	{ n++ }
	END { exit bad || open }' "$out/words.txt" || fail "polls"

# The note is written once, for two traces.
cp -r "$trace" "$out/again"
"$ktail" --k 15 -a roles "$trace" "$out/again" -o "$out/two.json" 2> "$out/said" || fail "two traces"
[ "$(grep -c 'note: 2 of 2 traces do not name the roles of accesses' "$out/said")" = 1 ] ||
	fail "not noted once"
"$ktail" --k 15 "$trace" -o "$out/plain.json" 2> "$out/said" || fail "table1"
! grep -q note: "$out/said" || fail "noted with table1"

"$ktail" --k 15 -a roles "$trace" -o "$out/m.json" 2> "$out/said" || fail "machine"
grep -q '"alphabet": {"name": "roles", "rules": \[\]}' "$out/m.json" || fail "alphabet of the machine"
"$ktail" check "$out/m.json" "$trace" > "$out/said" 2>&1 || fail "does not fit its own machine"
[ "$(grep -c 'note: 1 of 1 trace does not name' "$out/said")" = 1 ] || fail "check: not noted once"

"$ktail" check "$out/m.json" net://127.0.0.1/host/none/none > "$out/said" 2>&1
[ $? = 2 ] || fail "live check: status"
tr '\n' ' ' < "$out/said" | tr -s ' ' |
	grep -q 'cannot be checked as they come with the alphabet roles: what memory is for is known only' ||
	fail "live check: reason"
if [ "$plugins" != none ]; then
	babeltrace2 --plugin-path="$plugins" convert "$trace" --component=sink.ktail.check \
		--params="fsm=\"$out/m.json\"" > "$out/said" 2>&1 && fail "sink.ktail.check"
	tr '\n' ' ' < "$out/said" | tr -s ' ' | grep -q 'as they come with the alphabet roles' ||
		fail "sink.ktail.check: reason"
fi

"$ktail" words -a roles -w channel "$trace" -o "$out/none" 2> "$out/said"
status=$?
[ $status = 2 ] || fail "--word channel"
[ ! -e "$out/none" ] || fail "--word channel: words"
exit 0
