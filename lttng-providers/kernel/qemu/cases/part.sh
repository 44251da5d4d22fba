# SPDX-License-Identifier: MIT
# Of four pages the second is a doorbell; they go one after the other.
. /bench/devices
load_gpusim -p 1 1
record part maps part "$OUT/said"
expect_nothing
unload
