# SPDX-License-Identifier: MIT
# Threads that all touch a doorbell first, at once, where the driver maps pages when they are
# touched and only their physical address says what they are: no store goes by unseen.
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
