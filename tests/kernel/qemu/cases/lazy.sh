# SPDX-License-Identifier: MIT
# A driver that maps pages on touch, and unmaps them again: the doorbell is recognised in the
# fault.
. /bench/devices
load_gpusim lazy=1
begin_trace lazy
maps revoke "$OUT/said"
maps reuse "$OUT/said"
maps move "$OUT/said"
end_trace
expect undecoded 0
expect_nothing
unload
