# SPDX-License-Identifier: MIT
# 32-bit code.
. /bench/devices
load_gpusim
record compat compat "$OUT/said"
expect undecoded 0
expect_nothing
unload
