# SPDX-License-Identifier: MIT
# The session daemon itself loads the probe, and removes it at its end: without a session, and
# during one.
. /bench/devices
load_gpusim
remove lttng-probe-gpu-stack

probe_is_gone() {
	! grep -q '^lttng_probe_gpu_stack ' /proc/modules || fail "$*: the probe is still loaded"
}

end_daemon
start_daemon --kmod-probes=gpu-stack
record daemon burst "$OUT/said" 1000
end_daemon
probe_is_gone 'the daemon has ended'

start_daemon '--kmod-probes= ' --extra-kmod-probes=gpu-stack
begin_trace middle
burst "$OUT/said.middle" 1000
begin out live 1
end_daemon
probe_is_gone 'the daemon has ended in a session'
# Doorbells are not recorded from here on.
remove doorbell_watch
kill $begun
wait $begun || fail "with the daemon gone: $(cat out)"

start_daemon
watch_gpusim
record after burst "$OUT/said.after" 1000
expect_nothing
unload
