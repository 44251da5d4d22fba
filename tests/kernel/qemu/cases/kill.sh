# SPDX-License-Identifier: MIT
# Processes that are killed while they write doorbells, every other one with four threads. They
# leave LTTng's daemon little time to empty its buffers.
. /bench/devices
load_gpusim
begin_trace kill 8M
burst "$OUT/said" 100
for i in $(seq 25); do
	if [ $((i % 2)) = 0 ]; then
		begin out burst - 0 $((i % 8))
	else
		begin out ring - 2 2 1000000
	fi
	[ $((i % 3)) != 0 ] || usleep $((i * 1000))
	kill -9 $begun
	wait $begun || :
done
end_trace
expect_nothing
unload
