# SPDX-License-Identifier: MIT
# All endings of ktail record --kernel: ktail is killed, modules are in use or are removed, the
# session daemon dies, whether it ran before or was started by ktail.
# modes: watch
. /bench/recording
prepare_recording

# Starts a recording of `live` in the background; its PID is in $begun.
begin_live() { # TRACE ktail-record's arguments...
	trace=$1
	shift
	rm -f live.out
	ktail-record --kernel "$@" -o "/tmp/trace/$trace" -- live 1 >live.out 2>live.err &
	recorder=$!
	for try in $(seq 300); do
		! grep -q begun live.out || break
		kill -0 $recorder || fail "$trace: $(cat live.err)"
		sleep 0.1
	done
	begun=$(pidof live) || fail "$trace: live did not begin"
}

end_live() {
	kill "$begun"
	for try in $(seq 100); do
		kill -0 "$begun" 2>/dev/null || return 0
		sleep 0.1
	done
	fail "live $begun did not end"
}

finish_live() { # STATUS PATTERN
	end_live
	got=0
	wait $recorder || got=$?
	cat live.err
	[ "$got" = "$1" ] || fail "$trace: status $got, not $1"
	grep -q -e "$2" live.err || fail "$trace: the output does not contain '$2'"
}

# Waits until ktail's supervisor has cleaned up.
await_end() {
	for try in $(seq 300); do
		pidof kt-supervisor >/dev/null || return 0
		sleep 0.2
	done
	fail 'the recording did not end'
}

kill_daemons() {
	pidof lttng-sessiond >/dev/null || fail 'there is no session daemon'
	kill -9 $(pidof lttng-sessiond lttng-consumerd)
	for try in $(seq 50); do
		lttng --no-sessiond list >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	fail 'the session daemon did not die'
}

# Starts the daemon that the other cases need, if none is running.
start_daemon() {
	lttng --no-sessiond list >/dev/null 2>&1 ||
		LTTNG_KMOD_PROBES='' lttng-sessiond --daemonize --kmod-probes=' ' >/dev/null 2>&1
}
trap start_daemon EXIT

# ktail is killed: its supervisor cleans up, while the program continues.
begin_live killed
kill -9 $recorder
await_end
nothing_is_loaded 'ktail was killed'
end_live
[ -d /tmp/trace/killed/kernel ] || fail 'killed: there is no trace'
load
begin_live killed-loaded --access=coalesced
[ "$(parameter access)" = coalesced ] || fail "access is $(parameter access)"
kill -9 $recorder
await_end
as_it_was off
end_live

# The probe holds doorbell_watch, so that no session is left without tracepoints.
! rmmod doorbell_watch 2>/dev/null || fail 'doorbell_watch was removed before the probe'
unload
prepare_recording

# A module that another session uses stays loaded, and the reason is reported.
begin_live held
begin_trace mine
finish_live 0 'lttng_probe_gpu_stack stays loaded: it is in use'
grep -q 'doorbell_watch stays loaded: it is used by lttng_probe_gpu_stack' live.err ||
	fail "held: $(cat live.err)"
end_trace
unload
prepare_recording

# A thread is in a call of the driver, for which the module's removal waits. ktail does not wait,
# and another recording is refused meanwhile.
begin_everyone stuck 'all processes until Ctrl-C'
begin stuck.out stuck
sleep 1
end_everyone 0 'doorbell_watch is still being removed: a thread is in a driver call'
says 125 'another recording uses its modules' --kernel -o /tmp/trace/too-early -- true
kill -9 $begun
for try in $(seq 100); do
	[ -d /sys/module/doorbell_watch ] || break
	sleep 0.2
done
nothing_is_loaded 'stuck was killed'

# A daemon that ran before dies: without a command the recording ends.
begin_everyone daemon 'all processes until Ctrl-C'
kill_daemons
await_everyone 125 'the LTTng session daemon died: the trace ends early'
await_end
nothing_is_loaded 'the daemon died'

# The same happens when a daemon that ktail started dies. With a command, its death is reported when
# the command ends.
begin_everyone own 'all processes until Ctrl-C'
kill_daemons
await_everyone 125 'daemon died: the trace ends early'
nothing_is_loaded "ktail's daemon died"
begin_live own-live
kill_daemons
finish_live 0 'daemon died: the trace ends early'
nothing_is_loaded "ktail's daemon died during a command"

# Modules that were loaded before stay when a daemon of ktail's own ends; their removal during the
# recording is reported.
load
says 0 ' 101 doorbells in ' --kernel -o /tmp/trace/theirs -- burst /dev/null 100
grep -q '^lttng_probe_gpu_stack ' /proc/modules || fail "ktail's daemon removed a probe that was loaded before"
as_it_was off
begin_live removed
kill_daemons
for try in $(seq 50); do
	! rmmod lttng_probe_gpu_stack 2>/dev/null || break
	sleep 0.1
done
remove doorbell_watch
finish_live 0 'doorbell_watch was removed during the recording'
grep 'events are in' live.err || fail "removed: $(cat live.err)"
nothing_is_loaded 'the modules were removed'
unload
rm /etc/modprobe.d/ktail.conf
