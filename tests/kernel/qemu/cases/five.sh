# SPDX-License-Identifier: MIT
# Five doorbells, four debug registers: the fifth is not watched, and is counted. A shadow needs
# no debug register.
. /bench/devices
load_gpusim
if [ "$MODE" = shadow ]; then
	record five maps all-five "$OUT/said"
	expect no_register 0
else
	record five maps five "$OUT/said"
	[ "$(parameter no_register)" -ge 1 ] || fail 'the fifth mapping is not counted'
fi
expect_nothing
unload
