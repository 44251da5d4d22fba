# SPDX-License-Identifier: MIT
# Stores of every kind: decoded, or counted as not; in each case the device gets its kick.
# Again with accesses traced, which closes pages that the doorbell has.
. /bench/devices
load_gpusim
begin_trace kinds
kinds "$OUT/said" || fail "kinds ended with $?"
echo coalesced >/sys/module/doorbell_watch/parameters/access
kinds "$OUT/said" || fail "with accesses traced kinds ended with $?"
end_trace
hidden=$(grep -c '?' "$OUT/said")
locked=$(grep -c '[*]' "$OUT/said")
undecoded=$(parameter undecoded)
[ "$undecoded" -le $((hidden + locked)) ] && [ "$undecoded" -ge $((hidden + locked * 3 / 4)) ] ||
	fail "undecoded is $undecoded, not $hidden and up to $locked"
# The real page has come back before the first one that only memory would have told.
[ "$MODE" != shadow ] || expect left 2
expect_nothing
unload
