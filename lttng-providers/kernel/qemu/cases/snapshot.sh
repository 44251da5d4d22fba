# SPDX-License-Identifier: MIT
# A second module reads at each doorbell what it submits.
. /bench/devices
load_gpusim
modprobe gpusim_snapshot || fail 'modprobe gpusim_snapshot'
record snapshot submit "$OUT/said" 500
remove gpusim_snapshot
expect_nothing
unload
