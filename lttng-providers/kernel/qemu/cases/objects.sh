# SPDX-License-Identifier: MIT
# More objects than the module follows of a process: those are counted, and what goes makes
# room again. A child takes all over.
# modes: watch
most=65536 over=10 again=100
load_driver gpusim
load hook_symbol=gpusim_nvidia_mmap
objects $((most + over)) $again || fail "objects: status $?"
. /bench/devices
expect processes 0
expect unknown $over
# Begin and end of both, the open; each request twice, each object when it is made; when it
# goes, those that were known: at the end all that there was room for.
requests=$((most + over + 2 * again + 1))
expect events $((5 + 2 * requests + most + over + again + again + most))
unload
