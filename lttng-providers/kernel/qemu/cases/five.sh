# SPDX-License-Identifier: MIT
# Five doorbells: four debug registers. The fifth page is left alone, and that is counted.
. /bench/devices
load_gpusim
record five maps five "$OUT/said"
[ "$(parameter no_register)" -ge 1 ] || fail 'the fifth mapping is not counted'
expect_nothing
unload
