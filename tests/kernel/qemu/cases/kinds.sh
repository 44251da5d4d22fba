# SPDX-License-Identifier: MIT
# Stores of every kind are decoded or counted as undecoded, and the device gets each. Repeated
# with accesses traced, which closes pages that have a doorbell.
. /bench/devices
load_gpusim
begin_trace kinds
kinds "$OUT/said" || fail "kinds ended with $?"
echo coalesced >/sys/module/doorbell_watch/parameters/access
kinds "$OUT/said" || fail "with access=coalesced kinds ended with $?"
end_trace
hidden=$(grep -c '?' "$OUT/said")
locked=$(grep -c '[*]' "$OUT/said")
undecoded=$(parameter undecoded)
[ "$undecoded" -le $((hidden + locked)) ] && [ "$undecoded" -ge $((hidden + locked * 3 / 4)) ] ||
	fail "undecoded is $undecoded, not $hidden and up to $locked"
# The shadow is abandoned at the first store whose value can only be read from memory.
[ "$MODE" != shadow ] || expect left 2
expect_nothing
unload
