# SPDX-License-Identifier: MIT
# The kernel's own stores on a process's behalf: not seen in mode watch, refused in shadow.
. /bench/devices
load_gpusim
record kernel-store kernel-store "$MODE" "$OUT/said"
[ "$MODE" != shadow ] || expect refused 10
expect_nothing
unload
