# SPDX-License-Identifier: MIT
# Registers of a real device: stores reach them and are recorded, and so are its interrupts.
. /bench/devices
load_edu
record edu edu-device "$OUT/said"
expect doorbells 100
expect undecoded 0
expect_nothing
unload
