# SPDX-License-Identifier: MIT
# A sleeping device, whose driver first unmaps all pages: nothing may be stored to it meanwhile,
# and an access wakes it. Pages are mapped by mmap, or on touch.
. /bench/devices
load_gpusim sleeps=1
record sleep maps sleep "$OUT/said"
expect undecoded 0
expect_nothing
record nod maps nod /dev/null
expect_nothing
unload
load_gpusim lazy=1
record lazy-sleep maps sleep /dev/null
maps nod /dev/null
expect undecoded 0
expect_nothing
unload
