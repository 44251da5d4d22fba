# SPDX-License-Identifier: MIT
# modes: watch
# Traps whose cause the machine has lost, as on some virtual machines: doorbells and others.
. /bench/devices
load_gpusim
record causeless causeless "$OUT/said"
expect doorbells 11
expect causeless 10
expect undecoded 4
expect untold 1
expect_nothing
unload
