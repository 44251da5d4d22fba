# SPDX-License-Identifier: MIT
# Everything at once, also while the module is removed and loaded again.
. /bench/devices
load_gpusim
begin_trace stress
burst "$OUT/said" 100
stress 4 || fail 'stress, with the module'
end_trace
expect undecoded 0
expect_nothing
stress 6 &
stressed=$!
for i in 1 2 3; do
	usleep 500000
	remove lttng-probe-gpu-stack
	remove doorbell_watch
	usleep 100000
	watch_gpusim
done
wait $stressed || fail 'stress, while the module comes and goes'
expect_nothing
unload
