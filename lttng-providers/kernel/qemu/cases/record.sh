# SPDX-License-Identifier: MIT
# ktail record --kernel, beside the recorder, and of the whole machine; what it leaves.
# modes: watch
. /bench/devices
load_driver gpusim
physical=$(cat /sys/module/gpusim/parameters/physical)
mkdir -p /etc/modprobe.d
echo "options doorbell_watch hook=$HOOK hook_symbol=gpusim_mmap doorbell=$physical:32768" \
	>/etc/modprobe.d/ktail.conf

# says STATUS PATTERN ktail-record's arguments...
says() {
	want=$1
	pattern=$2
	shift 2
	got=0
	ktail-record "$@" >said 2>&1 || got=$?
	cat said
	[ "$got" = "$want" ] || fail "ktail-record $*: status $got, not $want"
	grep -q -e "$pattern" said || fail "ktail-record $*: does not say '$pattern'"
}

nothing_is_loaded() {
	! grep -qE '^(doorbell_watch|lttng_probe_gpu_stack)' /proc/modules ||
		fail "after $*: modules are still loaded"
}

says 0 '0 lost, 1 process, 501 doorbells (0 undecoded)' --kernel -o /tmp/trace/alone -- burst "$OUT/said" 500
nothing_is_loaded alone
says 7 '1 process, 501 doorbells' --kernel --access=off -o /tmp/trace/status -- \
	sh -c 'burst /dev/null 500; exit 7'
says 127 'run /no/such' --kernel -o /tmp/trace/none -- /no/such/program
[ ! -e /tmp/trace/none ] || fail 'a folder is left where nothing was recorded'
says 0 'the kernel recorded .* 1 process' --kernel=beside -o /tmp/trace/beside -- burst /dev/null 500
nothing_is_loaded beside

# Somebody else's process is not recorded with a command, and is without.
(sleep 2; burst /dev/null 100) &
says 0 'no process that was watched' --kernel -o /tmp/trace/other -- sleep 6
wait
ktail-record --kernel -o /tmp/trace/everyone 2>everyone &
recorder=$!
while ! grep -q 'until Ctrl-C' everyone; do
	kill -0 $recorder || fail "recording everyone: $(cat everyone)"
	sleep 0.2
done
says 125 "another recording uses its modules: process $recorder, into /tmp/trace/everyone" --kernel -o /tmp/trace/second -- true
burst /dev/null 100
kill -TERM $recorder # Ctrl-C is ignored in the background
wait $recorder || fail "recording everyone ended with $?"
cat everyone
grep -q '1 process, 101 doorbells' everyone || fail 'everyone: not 101 doorbells'
nothing_is_loaded everyone

# The numbers of a container's processes mean others to the module.
unshare -p -f ktail-record --kernel -o /tmp/trace/container -- true >said 2>&1 && fail 'recorded in a container'
grep 'this is a container' said || fail "in a container: $(cat said)"
nothing_is_loaded 'a container'

# What was loaded before stays, as it was.
load
says 125 'mode=watch, and --doorbell asks for shadow' --kernel --doorbell=shadow -o /tmp/trace/shadow -- true
says 0 '1 process, 101 doorbells' --kernel -o /tmp/trace/loaded -- burst /dev/null 100
[ -d /sys/module/doorbell_watch ] || fail 'it has removed what it has not loaded'
as_it_was() { # ACCESS
	[ -z "$(parameter pids)" ] || fail "processes $(parameter pids) are still watched"
	[ "$(parameter access)" = "$1" ] || fail "access is $(parameter access), and was $1"
}
as_it_was off
says 0 '1 process, 101 doorbells' --kernel --access=coalesced -o /tmp/trace/access -- burst /dev/null 100
as_it_was off
echo coalesced >/sys/module/doorbell_watch/parameters/access
says 0 'the kernel recorded .* 1 process' --kernel=beside -o /tmp/trace/without -- burst /dev/null 100
as_it_was coalesced
says 127 'run /no/such' --kernel --access=off -o /tmp/trace/nobody -- /no/such/program
as_it_was coalesced
unload
rm /etc/modprobe.d/ktail.conf
