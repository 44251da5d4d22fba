# SPDX-License-Identifier: MIT
# The doorbell's address is ordinary memory now and then.
. /bench/devices
load_gpusim
record reuse maps reuse "$OUT/said"
expect_nothing
unload
