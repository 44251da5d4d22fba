# SPDX-License-Identifier: MIT
# Doorbells that are mapped while signals are pending are watched all the same, and have their
# shadow in mode shadow.
. /bench/devices
load_gpusim
begin_trace signals
for i in $(seq 30); do
	signals "$OUT/said" || fail "signals ended with $?"
done
end_trace
expect doorbells 600
expect not_watched 0
expect_nothing
unload
