# SPDX-License-Identifier: MIT
# modes: watch
# Traps whose cause the machine has lost, as virtual machines do: doorbells, or not ours.
. /bench/devices
load_gpusim
record causeless causeless "$OUT/said"
expect doorbells 7
expect causeless 6
expect undecoded 3
expect_nothing
unload
