# SPDX-License-Identifier: MIT
# A real device's registers: what is stored arrives, and is seen; its interrupts, too.
. /bench/devices
load_edu
record edu edu-device "$OUT/said"
expect doorbells 100
expect undecoded 0
expect_nothing
unload
