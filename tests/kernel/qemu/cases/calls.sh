# SPDX-License-Identifier: MIT
# ioctls with arbitrary arguments; pinned pages; the watch module is removed, and loaded again,
# while a call is in the kernel.
. /bench/devices
load_gpusim
record bad calls bad
record pin calls pin
expect_nothing
for i in 1 2; do
	begin out calls wait
	remove lttng-probe-gpu-stack
	remove doorbell_watch
	[ $i = 1 ] || watch_gpusim
	kill $begun
	wait $begun || fail "with the module gone: $(cat out)"
	[ $i = 2 ] || watch_gpusim
done
expect_nothing
unload
