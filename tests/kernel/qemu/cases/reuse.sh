# SPDX-License-Identifier: MIT
# The doorbell's address alternates between the doorbell and ordinary memory.
. /bench/devices
load_gpusim
record reuse maps reuse "$OUT/said"
expect_nothing
unload
