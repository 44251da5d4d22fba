# SPDX-License-Identifier: MIT
# One thread writes a doorbell 20,000 times, as fast as it can.
. /bench/devices
load_gpusim
record burst burst "$OUT/said" 20000
expect doorbells 20001
expect undecoded 0
expect_nothing
unload
