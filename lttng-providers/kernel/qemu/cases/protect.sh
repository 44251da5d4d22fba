# SPDX-License-Identifier: MIT
# The right to write is taken away and given back; there is no right to read.
. /bench/devices
load_gpusim
begin_trace protect
maps protect "$OUT/said" || fail "protect ended with $?"
maps blind "$OUT/said" || fail "blind ended with $?"
echo coalesced >/sys/module/doorbell_watch/parameters/access
maps protect "$OUT/said" || fail "with accesses traced protect ended with $?"
maps blind "$OUT/said" || fail "with accesses traced blind ended with $?"
end_trace
expect_nothing
unload
