# SPDX-License-Identifier: MIT
# Reads of the registers next to the doorbell return recent values.
. /bench/devices
load_gpusim
record timer timer "$OUT/said"
expect_nothing
unload
