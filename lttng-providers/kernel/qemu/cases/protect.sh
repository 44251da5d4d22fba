# SPDX-License-Identifier: MIT
# The right to write is taken away and given back.
. /bench/devices
load_gpusim
begin_trace protect
maps protect "$OUT/said"
echo coalesced >/sys/module/doorbell_watch/parameters/access
maps protect "$OUT/said"
end_trace
expect_nothing
unload
