# SPDX-License-Identifier: MIT
# 25,000 doorbells of threads that start before and after the mmap, all at once; then of threads
# that exist for one store.
. /bench/devices
load_gpusim
record threads ring "$OUT/said" 3 2 5000 100
expect doorbells 25100
expect undecoded 0
expect not_watched 0
expect_nothing
unload
