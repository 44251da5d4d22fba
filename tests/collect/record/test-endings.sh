#!/bin/sh
# SPDX-License-Identifier: MIT
# However a recording ends, the program computes the same as without it, and nothing is
# left. Usage: test-endings.sh BIN LIB
set -u

bin=$1
lib=$2
scratch=$(mktemp -d)
failures=0
skipped=''
LTTNG_HOME=$scratch/home
export LTTNG_HOME
mkdir -p "$LTTNG_HOME"
chmod 755 "$scratch"
trap 'rm -rf "$scratch"' EXIT

if lttng --no-sessiond list >/dev/null 2>&1; then
	echo "skipped: an LTTng session daemon is running, which this test must not kill"
	exit 77
fi

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# --- one recording, step by step ---

children() { # PID: prints its children
	grep -l "^PPid:[[:space:]]$1\$" /proc/[0-9]*/status 2>/dev/null | cut -d/ -f3
}

child() { # PID NAME: prints the child of that name (15 characters of it)
	for pid in $(children "$1"); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$2" ] && echo "$pid" && return
	done
}

await() { # FILE
	for _ in $(seq 1200); do
		[ -e "$1" ] && return
		sleep 0.05
	done
	fail "$name: no $1"
}

# Prints the processes of this recording, which have its name in their environment.
left_processes() {
	grep -lz "^KTAIL_TEST=$name\$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}

# Starts the flood under ktail record; sets recorder, supervisor, daemon, consumer and program.
begin() { # NAME SUBMISSIONS OPTION...
	name=$1
	n=$2
	shift 2
	steps=$scratch/$name.steps
	mkdir "$steps" "$steps.tmp"
	# The command stores the program's own status, which does not depend on what happens to its
	# ancestors.
	# shellcheck disable=SC2016
	KTAIL_TEST=$name TMPDIR=$steps.tmp LD_PRELOAD=$lib/libfake-driver.so "$bin/ktail-record" \
		--subbuf-size 4096 --num-subbuf 2 "$@" -o "$scratch/$name" -- \
		sh -c '"$0" "$1" "$2" >"$2.out"; got=$?; echo $got >"$2.status"; exit $got' \
		"$bin/scenario-flood" "$n" "$steps" 2>"$steps.err" &
	recorder=$!
	await "$steps/ready"
	supervisor=$(child $recorder kt-supervisor)
	daemon=$(child "$supervisor" lttng-sessiond)
	consumer=$(child "$daemon" lttng-consumerd)
	program=$(child "$(child $recorder sh)" scenario-flood)
	[ -n "$supervisor" ] && [ -n "$daemon" ] && [ -n "$consumer" ] && [ -n "$program" ] ||
		fail "$name: supervisor '$supervisor', daemon '$daemon', consumer '$consumer'"
}

# Runs the first half with a stopped consumer, so that the buffers are full.
fill() {
	kill -STOP "$consumer"
	touch "$steps/go"
	await "$steps/half"
}

# Waits for the recorder and checks its status.
finish() { # STATUS
	touch "$steps/go" "$steps/on"
	wait $recorder
	got=$?
	[ "$got" = "$1" ] || fail "$name: status $got, not $1: $(cat "$steps.err")"
}

# Checks the program's output and status, and that nothing is left once it has ended.
check() { # [killed]
	await "$steps.status"
	if [ "${1-}" != killed ]; then
		[ "$(cat "$steps.status")" = 5 ] || fail "$name: the program gave $(cat "$steps.status")"
		cmp "$scratch/bare.$n" "$steps.out" || fail "$name: its output differs"
	fi
	for _ in $(seq 200); do
		[ -z "$(left_processes)" ] && [ -z "$(ls "$steps.tmp")" ] && break
		sleep 0.05
	done
	for pid in $(left_processes); do
		fail "$name: left: $(cat "/proc/$pid/comm")"
		kill -9 "$pid"
	done
	[ -z "$(ls "$steps.tmp")" ] || fail "$name: left: $(find "$steps.tmp")"
	left=$(find /dev/shm -newer "$steps" ! -name 'lttng-ust-wait-*' \
		\( -name '*ust*' -o -name '*lttng*' -o -name '*ktail*' \))
	[ -z "$left" ] || fail "$name: left: $left"
}

says() { # PATTERN
	grep -q -e "$1" "$steps.err" || fail "$name: not '$1' in: $(cat "$steps.err")"
}

# Checks that the trace can be read, and has the program's word.
words() { # [FILES]: words that must have doorbells
	"$bin/ktail" words "$scratch/$name" -o "$scratch/$name.words" 2>"$steps.words.err" ||
		fail "$name: no words: $(cat "$steps.words.err")"
	# shellcheck disable=SC2086
	grep -q 'W:reg' "$scratch/$name.words"/${1-*scenario-flood*.events} ||
		fail "$name: no doorbell in the words"
}

tags() { # PATTERN: expected property of the program's words
	grep -q -e "$1" "$scratch/$name.words"/*scenario-flood*.events ||
		fail "$name: words are not $1: $(head -20 "$scratch/$name.words"/*scenario-flood*)"
}

bare() { # SUBMISSIONS
	LD_PRELOAD=$lib/libfake-driver.so "$bin/scenario-flood" "$1" >"$scratch/bare.$1"
}

bare 200
bare 2000

# --- no disturbance, then a signal to each process ---

begin plain 200
finish 5
check
says ' 0 lost'
words

for signal in TERM INT HUP; do
	begin "signal-$signal" 200
	kill "-$signal" $recorder
	touch "$steps/go" "$steps/on"
	wait $recorder
	got=$?
	# The terminal sends INT to the command directly, so it is not forwarded. sh, which
	# runs the program, dies of the other signals; the program continues.
	case $signal in
	INT) [ $got = 5 ] || fail "$name: status $got" ;;
	*) [ $got -gt 128 ] || fail "$name: status $got" ;;
	esac
	for _ in $(seq 200); do
		[ -d "/proc/$program" ] || break
		sleep 0.05
	done
	touch "$steps.status"
	check killed
done

# --- SIGKILL to each process, with full buffers ---

begin kill-program 2000 --hold=0.5
fill
kill -9 "$program"
finish 137
check killed
says '1 process did not exit cleanly'
words
tags 'cut-'

begin kill-recorder 2000 --hold=0.5
fill
kill -9 $recorder
finish 137
check
words
tags 'cut-'

begin kill-daemon 2000 --hold=0.5
fill
kill -9 "$daemon"
finish 5
check
says 'session daemon died: the trace ends early'
says 'recorded at most [0-9]* events, at least [0-9]* lost'

begin kill-consumer 2000 --hold=0.5
fill
kill -9 "$consumer"
finish 5
check
says 'consumer daemon died: the trace ends early'

# Data that a daemon wrote before it was killed can be read. The program's first event has
# its name, and may be lost in the buffer of a CPU that the program soon left.
for killed in daemon consumer; do
	begin "kill-$killed-late" 2000
	touch "$steps/go"
	await "$steps/half"
	for _ in $(seq 200); do
		[ -n "$(find "$scratch/$name" -name metadata -size +0)" ] && break
		sleep 0.05
	done
	eval "kill -9 \$$killed"
	finish 5
	check
	says 'the trace ends early'
	words '*.events'
done

begin kill-supervisor 200
kill -9 "$supervisor"
finish 5
check
says 'the trace ends early'

# --- a stopped consumer ---

# Permanently: the program stops waiting. The buffers are written at the end.
begin stuck 2000 --hold=0.5
fill
finish 5
check
says 'went on unrecorded'
grep -q ' [1-9][0-9]* lost' "$steps.err" || fail "$name: nothing lost? $(cat "$steps.err")"
words
tags 'cut-'

# For a while: later events are recorded again, after a gap.
begin resumed 2000 --hold=0.5
fill
kill -CONT "$consumer"
sleep 1.5
finish 5
check
words
tags '^#ktail lost [1-9]'
tags 'cut-begin'

# For a while, with --lossless: the program waits.
begin lossless 200 --lossless
kill -STOP "$consumer"
touch "$steps/go"
sleep 7
[ ! -e "$steps/half" ] || fail "$name: it did not wait"
kill -CONT "$consumer"
finish 5
check
says ' 0 lost'
words

# A stopped daemon: starting programs wait for its answer, but not without limit.
name=stopped-daemon
steps=$scratch/$name.steps
mkdir "$steps" "$steps.tmp"
mkfifo "$steps/fifo"
# shellcheck disable=SC2016
KTAIL_TEST=$name TMPDIR=$steps.tmp "$bin/ktail-record" --subbuf-size 4096 --num-subbuf 2 \
	-o "$scratch/$name" -- sh -c 'touch "$0/ready"; read -r _ <"$0/fifo"
		env true; touch "$0/half"; exit 5' "$steps" 2>"$steps.err" &
recorder=$!
await "$steps/ready"
supervisor=$(child $recorder kt-supervisor)
daemon=$(child "$supervisor" lttng-sessiond)
kill -STOP "$daemon"
echo >"$steps/fifo"
await "$steps/half"
finish 5
touch "$steps.status"
check killed

# --- the recorder is killed: its folder stays taken while the supervisor ends the recording ---

begin taken 200
kill -STOP "$supervisor"
kill -9 $recorder
wait $recorder 2>/dev/null
"$bin/ktail-record" --force -o "$scratch/taken" -- true 2>"$steps.second"
[ $? = 125 ] && grep -q 'another recording uses it' "$steps.second" ||
	fail "the folder was not taken: $(cat "$steps.second")"
kill -CONT "$supervisor"
touch "$steps/go" "$steps/on"
check killed

# --- two at once: each has its own daemon, and only its own processes ---

begin one 200
first="$recorder $steps"
begin two 200
finish 5
check
steps=${first#* }
name=one
touch "$steps/go" "$steps/on"
wait "${first% *}"
check
for name in one two; do
	words
	[ "$(find "$scratch/$name.words" -name '*scenario-flood*.events' | wc -l)" = 1 ] ||
		fail "$name: it holds words of the other"
done

# --- an existing daemon: used, and left unchanged ---

lttng-sessiond --no-kernel >/dev/null 2>&1 &
theirs=$!
for _ in $(seq 100); do
	lttng --no-sessiond list >/dev/null 2>&1 && break
	sleep 0.1
done
lttng --no-sessiond create theirs -o "$scratch/theirs" >/dev/null
lttng --no-sessiond list >"$scratch/list.before"
name=guest
mkdir "$scratch/guest.tmp"
TMPDIR=$scratch/guest.tmp LD_PRELOAD=$lib/libfake-driver.so "$bin/ktail-record" \
	--subbuf-size 65536 --num-subbuf 4 -o "$scratch/guest" -- "$bin/scenario-submit" \
	>"$scratch/guest.out" 2>"$scratch/guest.err" &
recorder=$!
wait $recorder || fail "guest: $(cat "$scratch/guest.err")"
grep -q ' 0 lost' "$scratch/guest.err" || fail "guest: $(cat "$scratch/guest.err")"
[ -z "$(ls "$scratch/guest.tmp")" ] || fail "guest: left: $(find "$scratch/guest.tmp")"
lttng --no-sessiond list | diff "$scratch/list.before" - || fail "guest: the daemon has changed"
lttng --no-sessiond destroy theirs >/dev/null
kill $theirs
wait $theirs

# --- commands that cannot be recorded, an unprivileged user, lack of space ---

run() { # NAME STATUS PATTERN COMMAND...: runs once; nothing may be left in TMPDIR
	name=$1
	want=$2
	pattern=$3
	shift 3
	mkdir "$scratch/$name.tmp"
	[ "$name" != unprivileged ] || chown 65534 "$scratch/$name.tmp"
	TMPDIR=$scratch/$name.tmp "$@" >"$scratch/$name.out" 2>"$scratch/$name.err"
	got=$?
	[ "$got" = "$want" ] || fail "$name: status $got, not $want: $(cat "$scratch/$name.err")"
	grep -q -e "$pattern" "$scratch/$name.err" ||
		fail "$name: not '$pattern' in: $(cat "$scratch/$name.err")"
	[ -z "$(ls "$scratch/$name.tmp")" ] || fail "$name: left: $(find "$scratch/$name.tmp")"
}

small='--subbuf-size 65536 --num-subbuf 4'
# A recording within a recording.
# shellcheck disable=SC2086
run nested 0 ' 0 lost' "$bin/ktail-record" $small -o "$scratch/nested" -- \
	"$bin/ktail-record" $small -o "$scratch/inner" -- echo inner
[ "$(cat "$scratch/nested.out")" = inner ] || fail "nested: $(cat "$scratch/nested.out")"
[ "$(grep -c ' 0 lost' "$scratch/nested.err")" = 2 ] || fail "nested: $(cat "$scratch/nested.err")"

if [ -x "$bin/scenario-static" ]; then
	# shellcheck disable=SC2086
	{
		run static 3 'is statically linked: the recorder cannot be loaded' \
			"$bin/ktail-record" $small -o "$scratch/static" -- "$bin/scenario-static"
		grep -q 'no process was recorded' "$scratch/static.err" ||
			fail "static: $(cat "$scratch/static.err")"
	}
else
	skipped="$skipped static (there is no libc.a)"
fi

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir -m 777 "$scratch/nobody" "$scratch/nobody/home"
	# A copy, because the build may be in a folder that only its owner may enter.
	mkdir "$scratch/nobody/bin" "$scratch/nobody/lib"
	cp "$bin/ktail-record" "$bin/scenario-submit" "$scratch/nobody/bin"
	cp "$lib"/libktail*.so* "$lib/libfake-driver.so" "$scratch/nobody/lib"
	chmod a+rx "$scratch"
	# shellcheck disable=SC2086
	run unprivileged 0 ' 0 lost.* 3 doorbells' \
		setpriv --reuid=65534 --regid=65534 --clear-groups \
		env LTTNG_HOME="$scratch/nobody/home" \
		LD_PRELOAD="$scratch/nobody/lib/libfake-driver.so" \
		"$scratch/nobody/bin/ktail-record" $small -o "$scratch/nobody/trace" -- \
		"$scratch/nobody/bin/scenario-submit"
	[ -z "$(ls -A "$scratch/nobody/home")" ] || fail "unprivileged: its home has changed"
elif [ "$(id -u)" = 0 ]; then
	skipped="$skipped unprivileged (there is no setpriv)"
fi

# shellcheck disable=SC2016
in_small_shm() { # COMMAND...: with 1 MiB of /dev/shm
	unshare -m --propagation private sh -c \
		'mount -t tmpfs -o size=1m,mode=1777 tmpfs /dev/shm && exec "$@"' sh "$@"
}
if in_small_shm true 2>/dev/null; then
	run full-shm 125 'mount -o remount,size=[0-9]*m /dev/shm.*--shm-size=' \
		in_small_shm "$bin/ktail-record" -o "$scratch/full-shm" -- true
	[ ! -e "$scratch/full-shm" ] || fail "full-shm: its folder is left"
	# The options that the message suggests must suffice.
	options=$(sed -n 's/.*pass \(--subbuf-size [0-9]* --num-subbuf [0-9]*\),.*/\1/p' \
		"$scratch/full-shm.err")
	if [ -n "$options" ]; then
		# shellcheck disable=SC2086
		run fitted 0 ' 0 lost' in_small_shm \
			"$bin/ktail-record" $options -o "$scratch/fitted" -- true
	fi
else
	skipped="$skipped full-shm (mounting is refused)"
fi

mkdir "$scratch/disk"
# shellcheck disable=SC2016
on_small_disk() { # COMMAND...: with a file system of 64 KiB for the trace
	unshare -m --propagation private sh -c \
		'mount -t tmpfs -o size=64k tmpfs "$0" && exec "$@"' "$scratch/disk" "$@"
}
if on_small_disk true 2>/dev/null; then
	mkdir "$scratch/full-disk.steps"
	touch "$scratch/full-disk.steps/go" "$scratch/full-disk.steps/on"
	# The status is the program's, which is not 0.
	# shellcheck disable=SC2086
	run full-disk 5 'the file system is full' on_small_disk \
		env LD_PRELOAD="$lib/libfake-driver.so" "$bin/ktail-record" $small \
		-o "$scratch/disk/trace" -- "$bin/scenario-flood" 2000 "$scratch/full-disk.steps"
else
	skipped="$skipped full-disk (mounting is refused)"
fi

[ "$failures" = 0 ] || exit 1
[ -z "$skipped" ] || { echo "all else as expected; skipped:$skipped" && exit 77; }
echo "all as expected"
