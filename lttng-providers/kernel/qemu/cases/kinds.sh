# SPDX-License-Identifier: MIT
# Stores of every kind: decoded, or counted as not; in each case the device gets its kick.
. /bench/devices
load_gpusim
record kinds kinds "$OUT/said"
hidden=$(grep -c '?' "$OUT/said")
locked=$(grep -c '[*]' "$OUT/said")
undecoded=$(parameter undecoded)
[ "$undecoded" -le $((hidden + locked)) ] && [ "$undecoded" -ge $((hidden + locked * 3 / 4)) ] ||
	fail "undecoded is $undecoded, not $hidden and up to $locked"
# The real page has come back before the first one that only memory would have told.
[ "$MODE" != shadow ] || expect left 1
expect_nothing
unload
