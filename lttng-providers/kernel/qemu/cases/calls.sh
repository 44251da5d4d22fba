# SPDX-License-Identifier: MIT
# Calls with whatever arguments; pages that are pinned; the watch module goes while a call is
# in the kernel, and another one comes.
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
