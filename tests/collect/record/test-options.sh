#!/bin/sh
# SPDX-License-Identifier: MIT
# Messages of ktail record for wrong usage, and the exit statuses of env(1). Usage:
# test-options.sh BIN
set -u

bin=$1
scratch=$(mktemp -d)
failures=0
LTTNG_HOME=$scratch/home
TMPDIR=$scratch/tmp
export LTTNG_HOME TMPDIR
mkdir -p "$LTTNG_HOME" "$TMPDIR"
trap 'rm -rf "$scratch"' EXIT

expect() { # STATUS PATTERN ARGUMENT...
	want=$1
	pattern=$2
	shift 2
	"$bin/ktail-record" "$@" >"$scratch/out" 2>&1
	got=$?
	if [ "$got" != "$want" ] || ! grep -q -e "$pattern" "$scratch/out"; then
		echo "FAILED: ktail-record $*: status $got, not $want, or not '$pattern' in:"
		cat "$scratch/out"
		failures=$((failures + 1))
	fi
}

had_daemon=no
lttng --no-sessiond list >/dev/null 2>&1 && had_daemon=yes
small='--subbuf-size 65536 --num-subbuf 4'
touch "$scratch/file"
mkdir "$scratch/full" && touch "$scratch/full/x"
expect 0 'usage: ktail record' --help
expect 0 '^ktail [0-9]' --version
expect 0 '^ktail [0-9]' -V
expect 125 'no COMMAND' -o "$scratch/t"
expect 125 'unknown option --bogus; see ktail record --help' --bogus -o "$scratch/t" -- true
expect 125 'it is not empty; choose another, or --force' -o "$scratch/full" -- true
expect 125 'create trace folder' -o "$scratch/file" -- true
[ -e "$scratch/full/x" ] || exit 1
expect 125 'create trace folder' -o "$scratch/no/such" -- true
mkdir "$scratch/claimed" && exec 9<"$scratch/claimed" && flock 9
expect 125 'another recording uses it' -o "$scratch/claimed" -- true
exec 9<&-
expect 125 'quiet cannot be used with --verbose' -qv -o "$scratch/t" -- true
expect 125 'power of two' --subbuf-size 65537 -o "$scratch/t" -- true
expect 125 'subbuf-size must be a power of two' --subbuf-size 65537 --help
expect 125 'num-subbuf must be a power of two' --num-subbuf 3 --subbuf-size 65537 --access=all
expect 125 'from 2 to 1024' --num-subbuf 1 -o "$scratch/t" -- true
expect 125 'must be off, coalesced or exact' --access=all -o "$scratch/t" -- true
expect 125 'must be auto, watchpoint, patch, protect, shadow or off' --doorbell=on -o "$scratch/t" -- true
expect 125 'must be off or words' --submissions=on -o "$scratch/t" -- true
expect 125 'must be auto, bus, stores or check' --rings=on -o "$scratch/t" -- true
expect 125 'must be none, wrap or cupti' --api=all -o "$scratch/t" -- true
expect 125 'api-calls requires --api=wrap or --api=cupti' --api-calls=all -o "$scratch/t" -- true
for names in '' works cuInit, cuInit,,cuMemAlloc 'cuInit cuMemAlloc' 'cuMem*' clear-env; do
	expect 125 'api-calls must be all or work alone, or whole names of functions' --api=wrap \
		"--api-calls=$names" -o "$scratch/t" -- true
done
expect 125 "not 'cuLanchKernel'; did you mean 'cuLaunchKernel'?" --api=wrap \
	--api-calls=cuMemAlloc_v2,cuLanchKernel,cuLaunchKernel_ptsz -o "$scratch/t" -- true
expect 125 "not 'works'; did you mean 'work'?" --api=wrap --api-calls=works -o "$scratch/t" -- true
expect 125 'api-calls takes at most 499 characters' --api=wrap \
	"--api-calls=cu$(printf '%0500d' 1)" -o "$scratch/t" -- true
expect 125 'cupti requires --api=cupti' --cupti=x --api=wrap -o "$scratch/t" -- true
expect 125 '--access-limit' --access-limit=x -o "$scratch/t" -- true
for percent in 0 -1 1001 x 5% 2.5 ''; do
	expect 125 '--overhead must be .* 1 to 1000' "--overhead=$percent" -o "$scratch/t" -- true
done
expect 125 '--hold must be seconds' --hold=-1 -o "$scratch/t" -- true
expect 125 '--hold must be seconds' --hold=5s -o "$scratch/t" -- true
expect 125 "takes no value or 'beside', not 'yes'" --kernel=yes -o "$scratch/t" -- true
expect 125 'no COMMAND' --kernel=beside -o "$scratch/t"
expect 125 'softgpu cannot be used with --kernel' --kernel --softgpu -o "$scratch/t" -- true
expect 125 'shadow requires --kernel alone' --doorbell=shadow -o "$scratch/t" -- true
expect 125 'shadow requires --kernel alone' --kernel=beside --doorbell=shadow -o "$scratch/t" -- true
for option in --pin --overhead=5 --lossless --hold=1 --submissions=words --submissions=off \
	--rings=check --rings=bus --api=wrap --access=exact --access-limit=1 \
	--doorbell=patch --doorbell=protect; do
	expect 125 "${option%%=*}.* cannot be used with --kernel alone" --kernel $option -o "$scratch/t" -- true
done
if [ "$(id -u)" != 0 ]; then
	expect 125 'only root may' --kernel -o "$scratch/t" -- true
elif [ "$(readlink /proc/self/ns/pid)" != 'pid:[4026531836]' ]; then
	expect 125 'this is a container' --kernel -o "$scratch/t" -- true
	expect 125 'this is a container' --kernel -o "$scratch/t"
elif ! modprobe -n -q doorbell_watch 2>/dev/null; then
	expect 125 'load doorbell_watch: .*README' --kernel -o "$scratch/t" -- true
	expect 125 'load doorbell_watch: .*README' --kernel -o "$scratch/t"
fi
[ ! -e "$scratch/t" ] || {
	echo "FAILED: a folder is left although nothing was recorded"
	exit 1
}
expect 125 '/dev/shm' --subbuf-size 1073741824 --num-subbuf 1024 -o "$scratch/t" -- true
# shellcheck disable=SC2086
{
	expect 0 'no process opened' $small -o "$scratch/t0" -- true
	expect 1 ' 0 lost' $small -o "$scratch/t1" -- false
	expect 0 'warning: 2 unknown values of environment variables, the first: KTAIL_RECORD_ACCESS=all' \
		$small -o "$scratch/wrong-values" -- env KTAIL_RECORD_ACCESS=all KTAIL_RECORD_OVERHEAD=5% true
	expect 42 ' 0 lost' $small -o "$scratch/t2" -- sh -c 'exit 42'
	expect 137 ' 0 lost' $small -o "$scratch/t3" -- sh -c 'kill -9 $$'
	expect 127 'run /no/such/program' $small -o "$scratch/t4" -- /no/such/program
	expect 126 'run /etc/passwd' $small -o "$scratch/t5" -- /etc/passwd
}
fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# The contents of the user's folder stay; folders that were created in vain are removed.
[ -e "$scratch/full/x" ] || fail "full: its file was removed"
[ ! -e "$scratch/t4" ] || fail "t4: a folder is left although nothing was recorded"
mkdir "$scratch/t9"
# shellcheck disable=SC2086
"$bin/ktail-record" $small -o "$scratch/t9" -- /no/such/program 2>/dev/null
[ -d "$scratch/t9" ] && rmdir "$scratch/t9" || fail "t9: the user's folder is gone or not empty"

# Without -o, the trace gets the first free name of ktail.trace, ktail.trace.1, ... With --force,
# ktail.trace is replaced.
traces() { (cd "$scratch/default" && find . -maxdepth 1 -name 'ktail.trace*' | sort | tr '\n' ' '); }
mkdir "$scratch/default"
in_default() { # OPTION... -- COMMAND...
	# shellcheck disable=SC2086
	(cd "$scratch/default" && exec "$bin/ktail-record" $small "$@" 2>&1)
}
in_default -- true | grep -q ' 0 doorbells in ktail.trace$' || fail "default: no trace"
in_default -- true | grep -q ' 0 doorbells in ktail.trace.1$' || fail "default: no second trace"
in_default -- /no/such/program >/dev/null
[ "$(traces)" = './ktail.trace ./ktail.trace.1 ' ] || fail "default: $(traces)"
touch "$scratch/stamp"
in_default --force -- true | grep -q ' 0 doorbells in ktail.trace$' || fail "--force: no trace"
[ -z "$(find "$scratch/default/ktail.trace" -type f ! -newer "$scratch/stamp")" ] ||
	fail "--force: an old file is left"
[ "$(traces)" = './ktail.trace ./ktail.trace.1 ' ] || fail "--force: $(traces)"
for command in /no/such/program no-such-program /etc/passwd; do
	in_default --force -- $command | grep -q "^ktail: run $command: " || fail "--force: runs $command"
done
[ -n "$(find "$scratch/default/ktail.trace" -name metadata)" ] || fail "--force: the trace is gone"

# A recording that cannot begin, here for want of a session daemon, leaves the old trace as it was.
(cd "$scratch/default" && find ktail.trace | sort >../before)
# shellcheck disable=SC2086
(cd "$scratch/default" && PATH=/nowhere "$bin/ktail-record" $small --force -- /bin/true) >/dev/null 2>&1 &&
	fail "--force: recorded without a session daemon"
(cd "$scratch/default" && find ktail.trace | sort) | cmp -s - "$scratch/before" ||
	fail "--force: the trace is gone although nothing was recorded"

# --force does not remove other data: other files, even in a trace; links; an empty trace.
keeps() { # FOLDER NAME REASON
	expect 125 "$3" $small --force -o "$1" -- true
	[ -e "$1/$2" ] || [ -L "$1/$2" ] || fail "--force: $1/$2 is gone"
}
cp -r "$scratch/default/ktail.trace" "$scratch/noted"
cp -r "$scratch/default/ktail.trace" "$scratch/linked"
touch "$scratch/noted/ust/uid/notes"
ln -s "$scratch/full/x" "$scratch/linked/ust/gpu_stack_9"
mkdir -p "$scratch/bare/ust/uid"
touch "$scratch/bare/ust/metadata"
for case in 'full:x:x is not part of one' 'noted:ust/uid/notes:notes is not part of one' \
	'linked:ust/gpu_stack_9:gpu_stack_9 is not part of one' 'bare:ust/metadata:this is not one'; do
	keeps "$scratch/${case%%:*}" "$(echo "$case" | cut -d: -f2)" "${case##*:}"
done

# -q prints only losses, -v all counters.
expect 0 '^ktail: warning: no process opened' $small -q -o "$scratch/quiet" -- true
[ "$(wc -l <"$scratch/out")" = 1 ] || fail "-q: $(cat "$scratch/out")"
expect 0 '^ *0  idle doorbells  *no channel' $small -v -o "$scratch/verbose" -- true
"$bin/ktail-record" --help | awk 'length > 80 { print; bad = 1 } END { exit bad }' ||
	fail "--help is wider than 80 columns"

# Two recordings at once: each has its own daemon until its end; then none is left.
# shellcheck disable=SC2086
{
	"$bin/ktail-record" $small -o "$scratch/c1" -- sleep 1.5 2>"$scratch/c1.err" &
	one=$!
	"$bin/ktail-record" $small -o "$scratch/c2" -- sh -c 'sleep 3; exit 9' \
		2>"$scratch/c2.err" &
	two=$!
}
wait $one
[ $? = 0 ] || fail "first of two: $(cat "$scratch/c1.err")"
wait $two
[ $? = 9 ] || fail "second of two: $(cat "$scratch/c2.err")"
grep -q ' 0 lost' "$scratch/c1.err" || fail "first of two: $(cat "$scratch/c1.err")"
grep -q ' 0 lost' "$scratch/c2.err" || fail "second of two: $(cat "$scratch/c2.err")"

# With standard error closed the status is still env(1)'s.
# shellcheck disable=SC2086
"$bin/ktail-record" $small -o "$scratch/t6" -- /no/such/program 2>&-
[ $? = 127 ] || fail "closed standard error: not status 127"

# Signals: before the command runs, while it runs, and ignored by the user.
for delay in 0.02 0.1 0.3; do
	# shellcheck disable=SC2086
	"$bin/ktail-record" $small -o "$scratch/t7.$delay" -- sleep 5 2>/dev/null &
	sleep "$delay"
	kill -TERM $!
	wait $! 2>/dev/null # otherwise the shell reports the intended death
	got=$?
	[ "$got" = 143 ] || fail "SIGTERM after $delay s: status $got, not 143"
done
# shellcheck disable=SC2086
(trap '' HUP && exec "$bin/ktail-record" $small -o "$scratch/t8" -- \
	sh -c 'sleep 2; exit 6') 2>/dev/null &
sleep 1
kill -HUP $!
wait $!
got=$?
[ "$got" = 6 ] || fail "ignored SIGHUP: status $got, not 6"

# The last recording ends the daemon, unless it was running before.
if [ "$had_daemon" = no ] && lttng --no-sessiond list >/dev/null 2>&1; then
	fail "a session daemon is left"
fi

[ -z "$(ls "$TMPDIR")" ] || fail "left in TMPDIR: $(ls "$TMPDIR")"

# Without ktail record.
for value in ACCESS=all DOORBELL=on SUBMISSIONS=on RINGS=on API=all API_CALLS=cuLanchKernel PIN=yes OVERHEAD=0 \
	ACCESS_LIMIT=1k PART_WORDS=x HOT_FAULTS=0 HOLD_MS=5s; do
	env "KTAIL_RECORD_$value" LD_PRELOAD="$bin/../lib/libktail-record.so" true >"$scratch/out" 2>&1
	[ "$(cat "$scratch/out")" = "ktail: warning: unknown value: KTAIL_RECORD_$value" ] || {
		echo "FAILED: KTAIL_RECORD_$value: $(cat "$scratch/out")"
		failures=$((failures + 1))
	}
done
for value in ACCESS= API_CALLS=cuCtxCreate,cuMemAlloc_v2,cuLaunchKernel_ptsz PIN=0 OVERHEAD=5 HOLD_MS=forever; do
	env "KTAIL_RECORD_$value" LD_PRELOAD="$bin/../lib/libktail-record.so" true >"$scratch/out" 2>&1
	[ ! -s "$scratch/out" ] || {
		echo "FAILED: KTAIL_RECORD_$value: $(cat "$scratch/out")"
		failures=$((failures + 1))
	}
done
[ "$failures" = 0 ] && echo "all as expected"
[ "$failures" = 0 ]
