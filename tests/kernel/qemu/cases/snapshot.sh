# SPDX-License-Identifier: MIT
# A second module reads at each doorbell the entry that it submits; the page is mapped by mmap,
# or on touch.
. /bench/devices
load_gpusim
modprobe gpusim_snapshot || fail 'modprobe gpusim_snapshot'
record snapshot submit "$OUT/said" 500
remove gpusim_snapshot
expect_nothing
unload
load_gpusim lazy=1
modprobe gpusim_snapshot || fail 'modprobe gpusim_snapshot'
submit /dev/null 500 >/dev/null || fail 'submit with lazy=1'
remove gpusim_snapshot
expect_nothing
unload
