# SPDX-License-Identifier: MIT
# A driver that maps all pages of a mapping when one of them is touched, as NVIDIA's does: the
# doorbell is among them, and its page must not replace the shadow.
. /bench/devices
load_gpusim -p 1 1 lazy=1 whole=1
begin_trace whole
maps whole "$OUT/said"
echo coalesced >/sys/module/doorbell_watch/parameters/access
maps whole "$OUT/said"
end_trace
expect undecoded 0
expect_nothing
unload
