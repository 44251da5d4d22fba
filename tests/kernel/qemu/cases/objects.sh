# SPDX-License-Identifier: MIT
# More objects than the module follows in a process: further ones are counted, and once some are
# freed, new ones are followed. A child inherits all of them.
# modes: watch
most=65536 over=10 again=100
load_driver gpusim
load hook_symbol=gpusim_nvidia_mmap
objects $((most + over)) $again || fail "objects: status $?"
. /bench/devices
expect processes 0
expect unknown $over
# Five events for two process begins, two process ends and the open; two for each request,
# one for each new object, and one for each followed object that is freed. Freeing the
# client at the end frees as many as the module can follow.
requests=$((most + over + 2 * again + 1))
expect events $((5 + 2 * requests + most + over + again + again + most))
unload
