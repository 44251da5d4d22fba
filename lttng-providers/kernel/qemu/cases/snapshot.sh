# SPDX-License-Identifier: MIT
# A second module reads at each doorbell what it submits: in a page that mmap maps, or the
# first touch.
. /bench/devices
load_gpusim
modprobe gpusim_snapshot || fail 'modprobe gpusim_snapshot'
record snapshot submit "$OUT/said" 500
remove gpusim_snapshot
expect_nothing
unload
load_gpusim lazy=1
modprobe gpusim_snapshot || fail 'modprobe gpusim_snapshot'
submit /dev/null 500 >/dev/null || fail 'with pages that are mapped when they are touched'
remove gpusim_snapshot
expect_nothing
unload
