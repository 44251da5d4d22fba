# SPDX-License-Identifier: MIT
# fork, fork in a thread, vfork, spawn and exec.
. /bench/devices
load_gpusim
record family family "$OUT/said"
expect undecoded 0
expect_nothing
unload
