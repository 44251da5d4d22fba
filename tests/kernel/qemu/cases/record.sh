# SPDX-License-Identifier: MIT
# ktail record --kernel: of a command, of a command in which the recorder is loaded as well
# (--kernel=beside), and of the whole machine; the cleanup.
# modes: watch
. /bench/recording
prepare_recording

says 0 ' 0 lost, 501 doorbells in /tmp/trace/alone' --kernel -v -o /tmp/trace/alone -- burst "$OUT/said" 500
grep -q '^ *1  process instances  ' said && grep -q '^ *0  undecoded doorbells  ' said ||
	fail 'alone: wrong counters'
nothing_is_loaded alone
says 7 ' 501 doorbells in ' --kernel --access=off -o /tmp/trace/status -- \
	sh -c 'burst /dev/null 500; exit 7'
says 127 'run /no/such' --kernel -o /tmp/trace/none -- /no/such/program
[ ! -e /tmp/trace/none ] || fail 'a folder was left although nothing was recorded'
says 0 'the kernel recorded [1-9][0-9]* events, ' --kernel=beside -o /tmp/trace/beside -- burst /dev/null 500
nothing_is_loaded beside

# With a command other processes are not recorded, without one they are.
(sleep 2; burst /dev/null 100) &
says 0 'no watched process used a GPU device file' --kernel -o /tmp/trace/other -- sleep 6
wait
begin_everyone everyone 'all processes until Ctrl-C'
says 125 "another recording uses its modules: process $recorder, into /tmp/trace/everyone" --kernel -o /tmp/trace/second -- true
burst /dev/null 100
end_everyone 0 ' 101 doorbells in '
nothing_is_loaded everyone

# In a PID namespace ktail would give the module PIDs that mean other processes.
unshare -p -f ktail-record --kernel -o /tmp/trace/container -- true >said 2>&1 && fail 'a recording in a container was not refused'
grep 'this is a container' said || fail "in a container: $(cat said)"
nothing_is_loaded 'a container'

# Modules that were loaded before stay loaded, with their parameters.
load
says 125 'mode=watch, but --doorbell requires shadow' --kernel --doorbell=shadow -o /tmp/trace/shadow -- true
says 0 ' 101 doorbells in ' --kernel -o /tmp/trace/loaded -- burst /dev/null 100
[ -d /sys/module/doorbell_watch ] || fail 'it removed a module that was loaded before'
as_it_was off
says 0 ' 101 doorbells in ' --kernel --access=coalesced -o /tmp/trace/access -- burst /dev/null 100
as_it_was off
echo coalesced >/sys/module/doorbell_watch/parameters/access
says 0 'the kernel recorded [1-9][0-9]* events, ' --kernel=beside -o /tmp/trace/without -- burst /dev/null 100
as_it_was coalesced
says 127 'run /no/such' --kernel --access=off -o /tmp/trace/nobody -- /no/such/program
as_it_was coalesced

# Limits that were set before are reported, or prevent the recording.
mkdir -p /tmp/cgroup
mount -t cgroup2 cgroup /tmp/cgroup
mkdir -p /tmp/cgroup/watched
set_parameter cgroup /watched
says 125 'it already watches the cgroup /watched' --kernel --access=off -o /tmp/trace/cgroup -- true
as_it_was coalesced
begin_everyone cgroup 'the cgroup /watched .* until Ctrl-C'
burst /dev/null 1000
sh -c 'echo $$ >/tmp/cgroup/watched/cgroup.procs; exec burst /dev/null 100'
end_everyone 0 ' 101 doorbells in '
[ "$(parameter cgroup)" = /watched ] || fail "the cgroup is $(parameter cgroup)"
set_parameter cgroup ''
set_parameter majors 4095
says 0 'only devices with these major numbers are recorded: 4095' --kernel -o /tmp/trace/majors -- burst /dev/null 100
[ "$(parameter majors)" = 4095 ] || fail "majors is $(parameter majors)"
set_parameter majors ''
set_parameter pids 1
says 125 'it already watches processes 1 ' --kernel -o /tmp/trace/pids -- true
[ "$(parameter pids)" = 1 ] || fail "pids is $(parameter pids)"
unload
umount /tmp/cgroup
rm /etc/modprobe.d/ktail.conf
