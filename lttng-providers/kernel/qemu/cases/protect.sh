# SPDX-License-Identifier: MIT
# The right to write is taken away and given back.
. /bench/devices
load_gpusim
record protect maps protect "$OUT/said"
expect_nothing
unload
