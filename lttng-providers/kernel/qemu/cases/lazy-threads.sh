# SPDX-License-Identifier: MIT
# Threads that all touch a doorbell first, at once, where the driver maps pages when they are
# touched and only their physical address says what they are. Not with the others: between
# the driver's mapping of the page and its recognition a store goes by unseen (README,
# "What is seen").
# when: named
. /bench/devices
load_gpusim lazy=1
record lazy-threads ring "$OUT/said" 2 2 100 10
expect undecoded 0
expect_nothing
unload
