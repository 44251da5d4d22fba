# SPDX-License-Identifier: MIT
# mremap moves the doorbell.
. /bench/devices
load_gpusim
record move maps move "$OUT/said"
expect_nothing
unload
