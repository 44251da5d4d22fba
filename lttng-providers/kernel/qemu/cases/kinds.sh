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
# What has not trapped is forwarded all the same.
[ "$MODE" != shadow ] || {
	expect forwarded_from_memory "$undecoded"
	expect rescued $((hidden + locked - undecoded))
}
expect_nothing
unload
