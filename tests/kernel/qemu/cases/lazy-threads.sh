# SPDX-License-Identifier: MIT
# Threads that all touch a doorbell for the first time at once, with a driver that maps pages on
# touch, so that only the physical address reveals a doorbell: each store is recorded.
. /bench/devices
load_gpusim lazy=1
begin_trace lazy-threads
for round in 1 2 3 4 5; do
	ring "$OUT/said" 2 2 100 10
done
end_trace
expect undecoded 0
expect_nothing
unload
