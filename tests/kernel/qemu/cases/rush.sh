# SPDX-License-Identifier: MIT
# First stores of all kinds at once, some of which make the module abandon a shadow: none is lost,
# and all are recorded.
. /bench/devices
load_gpusim
record rush rush "$OUT/said" 40
expect doorbells 800
expect not_watched 0
expect no_register 0
[ "$MODE" != shadow ] || expect left 40
expect_nothing
unload
