# SPDX-License-Identifier: MIT
# The right to write is revoked and restored; a mapping without the right to read.
. /bench/devices
load_gpusim
begin_trace protect
maps protect "$OUT/said" || fail "protect ended with $?"
maps blind "$OUT/said" || fail "blind ended with $?"
echo coalesced >/sys/module/doorbell_watch/parameters/access
maps protect "$OUT/said" || fail "with access=coalesced protect ended with $?"
maps blind "$OUT/said" || fail "with access=coalesced blind ended with $?"
end_trace
expect_nothing
unload
