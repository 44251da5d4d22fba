# SPDX-License-Identifier: MIT
# Four writers of the same word at once: each value is that of its thread's store.
. /bench/devices
load_gpusim
record writers ring "$OUT/said" 4 0 1000
expect doorbells 4000
expect undecoded 0
expect_nothing
unload
