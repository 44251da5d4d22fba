# SPDX-License-Identifier: MIT
# What is stored beside the doorbell reaches the device, and so does all of a store that is
# wider than it.
. /bench/devices
load_gpusim
record registers registers "$MODE" "$OUT/said"
expect undecoded 0
[ "$MODE" != shadow ] || expect left 0
expect_nothing
unload
