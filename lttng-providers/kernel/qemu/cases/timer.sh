# SPDX-License-Identifier: MIT
# The registers beside the doorbell can be read, and are fresh.
. /bench/devices
load_gpusim
record timer timer "$OUT/said"
expect_nothing
unload
