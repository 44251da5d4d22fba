# SPDX-License-Identifier: MIT
# Stores next to the doorbell reach the device, and so do all bytes of a store that is wider than
# the doorbell.
. /bench/devices
load_gpusim
record registers registers "$MODE" "$OUT/said"
expect undecoded 0
[ "$MODE" != shadow ] || expect left 0
expect_nothing
unload
