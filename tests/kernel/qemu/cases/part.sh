# SPDX-License-Identifier: MIT
# Four pages, the second of which is a doorbell, are unmapped one by one.
. /bench/devices
load_gpusim -p 1 1
record part maps part "$OUT/said"
expect_nothing
unload
