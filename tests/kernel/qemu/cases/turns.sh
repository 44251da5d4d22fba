# SPDX-License-Identifier: MIT
# Threads that close each other's pages all the time make progress.
. /bench/devices
load_gpusim
echo coalesced >/sys/module/doorbell_watch/parameters/access
record turns turns 400
expect doorbells 300
expect untraced 0
expect_nothing
unload
