#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording contains only the processes of its own command, whatever else is recorded at the same
# time. Other users of the machine cannot access the recording.
# Usage: test-apart.sh BIN LIB
set -u

bin=$1
lib=$2
scratch=$(mktemp -d)
failures=0
chmod 755 "$scratch"
. "$(dirname "$0")/../plain-session.sh"
trap 'plain_session_end 2>/dev/null; rm -rf "$scratch"' EXIT

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# Copies the programs and libraries to folders that every user may enter; the programs get different
# names.
mkdir "$scratch/bin" "$scratch/lib" "$scratch/home"
mkdir -m 755 "$scratch/tmp"
cp "$bin/ktail-record" "$bin/intruder" "$scratch/bin"
cp "$lib"/libktail*.so* "$lib/libfake-driver.so" "$scratch/lib"
for program in ours theirs third; do
	cp "$bin/scenario-submit" "$scratch/bin/$program"
done
bin=$scratch/bin
lib=$scratch/lib
small='--subbuf-size=65536 --num-subbuf=4'
as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all'

# Prints the programs of a trace, by their process_begin: "3 ours 1 sh".
programs_of() { # TRACE
	babeltrace2 "$1" 2>/dev/null | sed -n 's/.*process_begin: .* name = "\([^"]*\)".*/\1/p' |
		sort | uniq -c | awk '$2 == "ours" || $2 == "theirs" || $2 == "third" {
			printf "%s%s %s", n++ ? " " : "", $1, $2 }'
}

expect() { # TRACE PROGRAMS
	got=$(programs_of "$1")
	[ "$got" = "$2" ] || fail "${1##*/}: '$got', not '$2': $(cat "$1.err" 2>/dev/null)"
}

record() { # TRACE [OPTION...] -- COMMAND...
	trace=$scratch/$1
	shift
	# shellcheck disable=SC2086
	TMPDIR=$scratch/tmp LD_PRELOAD=$lib/libfake-driver.so "$bin/ktail-record" $small \
		-o "$trace" "$@" \
		>"$trace.out" 2>"$trace.err"
}

# Prints a shell loop that runs PROGRAM N times with pauses.
repeat() { # PROGRAM N
	echo "i=0; while [ \$i -lt $2 ]; do $bin/$1; sleep 0.1; i=\$((i + 1)); done"
}

LTTNG_HOME=$scratch/home
export LTTNG_HOME

# --- two recordings of one user, each with its own daemon ---

record apart-1 -- sh -c "$(repeat ours 4)" &
first=$!
record apart-2 -- sh -c "$(repeat theirs 3)" || fail "apart-2: status $?"
wait "$first" || fail "apart-1: status $?"
expect "$scratch/apart-1" '4 ours'
expect "$scratch/apart-2" '3 theirs'

# --- two recordings and a plain session in one daemon ---

plain_session_begin --subbuf-size=65536 --num-subbuf=4 || fail 'no plain session'
record shared-1 -- sh -c "$(repeat ours 4)" &
first=$!
record shared-2 -- sh -c "$(repeat theirs 3)" &
second=$!
LD_PRELOAD=$lib/libktail-record.so:$lib/libfake-driver.so "$bin/third" >/dev/null
wait "$first" || fail "shared-1: status $?"
wait "$second" || fail "shared-2: status $?"
plain_session_end
expect "$scratch/shared-1" '4 ours'
expect "$scratch/shared-2" '3 theirs'
expect "$scratch/plain" '4 ours 3 theirs 1 third'

# --- a process that the recording did not start ---

# shellcheck disable=SC2016
record stranger -- sh -c 'touch "$0"; while [ -e "$0" ]; do sleep 0.1; done' "$scratch/stay" &
recorder=$!
for _ in $(seq 200); do
	[ -e "$scratch/stay" ] && break
	sleep 0.05
done
folder=$(ls -d "$scratch/tmp/ktail-record-"*)
LTTNG_HOME=$folder LD_PRELOAD=$lib/libktail-record.so:$lib/libfake-driver.so \
	"$bin/theirs" >/dev/null
LTTNG_HOME=$folder LD_PRELOAD=$lib/libktail-record.so:$lib/libfake-driver.so \
	KTAIL_RECORD_SOCKET=$folder/processes KTAIL_RECORD_KEY=0123456789abcdef0123456789abcdef \
	"$bin/theirs" >/dev/null
rm "$scratch/stay"
wait "$recorder" || fail "stranger: status $?"
expect "$scratch/stranger" ''
grep -q '1 process that this recording did not start' "$scratch/stranger.err" ||
	fail "stranger: not reported: $(cat "$scratch/stranger.err")"

# --- processes that are difficult to track ---

# A process in its own PID namespace; LTTng uses the pid that its daemon sees.
if unshare -p --fork true 2>/dev/null; then
	record namespace -- unshare -p --fork "$bin/ours" || fail "namespace: status $?"
	expect "$scratch/namespace" '1 ours'
fi
# A process that may not write any file is not ended because the recorder writes to a file.
"$bin/ktail-record" -o "$scratch/no-files" -- sh -c 'ulimit -f 0; exec true' 2>/dev/null ||
	fail "no-files: status $?"
# A child of a process that cleared its environment still has a private wait page.
cat >"$scratch/cleared.pl" <<-'EOF'
	%ENV = ();
	my $child = fork;
	if (!$child) {
		open(my $maps, '<', '/proc/self/maps');
		print grep { m{/dev/shm/lttng-ust-wait} } <$maps>;
		exit 0;
	}
	waitpid($child, 0);
EOF
record cleared -- perl "$scratch/cleared.pl" || fail "cleared: status $?"
[ ! -s "$scratch/cleared.out" ] || fail "cleared: $(cat "$scratch/cleared.out")"
# The daemon is stopped for longer than LTTng waits: processes that start later are recorded
# again.
cat >"$scratch/stuck.sh" <<-'EOF'
	daemon=$(pgrep -P "$(pgrep -P "$PPID" -x kt-supervisor)" lttng-sessiond)
	kill -STOP "$daemon"
	(sleep 8; kill -CONT "$daemon") &
	"$1"
	wait
	sleep 3
	"$1"
EOF
record stuck -- sh "$scratch/stuck.sh" "$bin/ours" || fail "stuck: status $?"
case $(programs_of "$scratch/stuck") in
'1 ours' | '2 ours') ;;
*) fail "stuck: $(programs_of "$scratch/stuck"): $(cat "$scratch/stuck.err")" ;;
esac
grep -q 'recorded late or not at all' "$scratch/stuck.err" ||
	fail "stuck: not reported: $(cat "$scratch/stuck.err")"

# --- a folder that others can write to is refused, because they could create it again later
# ---

mkdir -m 1777 "$scratch/everybodys"
TMPDIR=$scratch/everybodys "$bin/ktail-record" -o "$scratch/elsewhere" -- \
	ls "$scratch/everybodys" >"$scratch/elsewhere.out" 2>&1
grep -q 'ktail-record-' "$scratch/elsewhere.out" && fail "it is in everybody's folder"

# --- other users ---

if [ "$(id -u)" != 0 ]; then
	echo 'not tested: other users, which needs root'
	[ "$failures" = 0 ]
	exit
fi

# Root and an unprivileged user record at the same time.
two_users() { # NAME OPTION-OF-SETPRIV
	mkdir -m 777 "$scratch/$1"
	record "$1-root" -- sh -c "$(repeat ours 4)" &
	first=$!
	setpriv --reuid=65534 --regid=65534 "$2" --inh-caps=-all sh -c "
		cd $scratch/$1 && mkdir -m 700 tmp && export TMPDIR=$scratch/$1/tmp
		LTTNG_HOME=$scratch/$1 LD_PRELOAD=$lib/libfake-driver.so $bin/ktail-record $small \
			-o trace -- sh -c '$(repeat theirs 3)'" >"$scratch/$1/trace.err" 2>&1 ||
		fail "$1: $(cat "$scratch/$1/trace.err")"
	wait "$first" || fail "$1-root: status $?"
	expect "$scratch/$1-root" '4 ours'
	expect "$scratch/$1/trace" '3 theirs'
}

two_users users --clear-groups
# Both record in root's daemon, which members of the group "tracing" may use.
if getent group tracing >/dev/null; then
	plain_session_begin --subbuf-size=65536 --num-subbuf=4 || fail 'no plain session'
	two_users tracing "--groups=$(getent group tracing | cut -d: -f3)"
	plain_session_end
fi

# A command that changes its user: recorded with --also-user, counted otherwise.
record changed -- runuser -u nobody -- "$bin/ours" || fail "changed: status $?"
expect "$scratch/changed" ''
grep -q 'of another user (nobody), and descendants, not recorded' "$scratch/changed.err" ||
	fail "changed: not reported: $(cat "$scratch/changed.err")"
record changed-in --also-user=nobody -- runuser -u nobody -- "$bin/ours" ||
	fail "changed-in: status $?"
expect "$scratch/changed-in" '1 ours'
grep -q 'of another user' "$scratch/changed-in.err" &&
	fail "changed-in: $(cat "$scratch/changed-in.err")"
# If the usual folders are closed to other users, an open one is used.
mkdir -m 700 "$scratch/closed.tmp"
TMPDIR=$scratch/closed.tmp XDG_RUNTIME_DIR=$scratch/closed.tmp LD_PRELOAD=$lib/libfake-driver.so \
	"$bin/ktail-record" $small -o "$scratch/changed-closed" --also-user=nobody -- \
	runuser -u nobody -- "$bin/ours" >/dev/null 2>"$scratch/changed-closed.err"
expect "$scratch/changed-closed" '1 ours'
record no-user --also-user=nosuchuser -- true
[ "$?" = 125 ] && grep -q "no such user: 'nosuchuser'" "$scratch/no-user.err" ||
	fail "no-user: $(cat "$scratch/no-user.err")"

# The intruder: run by root it succeeds in all ways except these; run by another user in
# none.
cat >"$scratch/closed" <<-'EOF'
	find LTTng's common wait page in the command
	find a new listening TCP port
	read the key in a /proc/PID/cmdline
	write to shared memory
EOF
ports() {
	awk '$4 == "0A" { split($2, at, ":"); printf " %s", at[2] }' /proc/net/tcp
}
INTRUDER_PORTS=$(ports)
export INTRUDER_PORTS
# shellcheck disable=SC2016
record kept -- sh -c 'echo $$ >"$0.new"; mv "$0.new" "$0"; while [ -e "$0" ]; do sleep 0.1; done' \
	"$scratch/stay" &
recorder=$!
for _ in $(seq 200); do
	[ -e "$scratch/stay" ] && break
	sleep 0.05
done
command=$(cat "$scratch/stay")
folder=$(tr '\0' '\n' <"/proc/$command/environ" | sed -n 's/^KTAIL_RECORD_SOCKET=\(.*\)\/processes$/\1/p')
INTRUDER_KEY=$(tr '\0' '\n' <"/proc/$command/environ" | sed -n 's/^KTAIL_RECORD_KEY=//p')
export INTRUDER_KEY
supervisor=$(pgrep -n -x kt-supervisor)
daemon=$(pgrep -P "$supervisor" lttng-sessiond)
# shellcheck disable=SC2086
$as_nobody "$bin/intruder" "$command" "$supervisor" "$daemon" "$scratch/kept" "$folder" \
	>"$scratch/intruder.nobody"
"$bin/intruder" "$command" "$supervisor" "$daemon" "$scratch/kept" "$folder" \
	>"$scratch/intruder.root"
rm "$scratch/stay"
wait "$recorder" || fail "kept: status $?: $(cat "$scratch/kept.err")"
grep -q ' 0 lost' "$scratch/kept.err" || fail "kept: $(cat "$scratch/kept.err")"
[ "$(sed -n 's/^sockets found\t//p' "$scratch/intruder.nobody")" -gt 3 ] ||
	fail "intruder: it found no sockets: $(cat "$scratch/intruder.nobody")"
grep '	in$' "$scratch/intruder.nobody" && fail "another user got access"
grep '	out$' "$scratch/intruder.root" | cut -f1 | LC_ALL=C sort >"$scratch/closed.root"
diff "$scratch/closed" "$scratch/closed.root" || fail "as root, other ways failed"
echo "$(grep -c '	out$' "$scratch/intruder.nobody") ways in tried by another user"

[ "$failures" = 0 ]
