# SPDX-License-Identifier: MIT
# Stores by the kernel on a process's behalf: not observed in mode watch, refused in shadow.
. /bench/devices
load_gpusim
record kernel-store kernel-store "$MODE" "$OUT/said"
[ "$MODE" != shadow ] || expect refused 10
expect_nothing
unload
