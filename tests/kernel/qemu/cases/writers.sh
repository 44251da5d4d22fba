# SPDX-License-Identifier: MIT
# Four threads write the same doorbell at once: each gets the value of its own store.
. /bench/devices
load_gpusim
record writers ring "$OUT/said" 4 0 1000
expect doorbells 4000
expect undecoded 0
expect_nothing
unload
