# SPDX-License-Identifier: MIT
# Instructions and system calls that need several pages at once, with accesses traced.
. /bench/devices
for how in '' lazy=1 mixed=1; do
	load_gpusim $how
	echo coalesced >/sys/module/doorbell_watch/parameters/access
	begin_trace "span$how"
	timeout -s KILL 60 span || fail "span ($how) ended with $?"
	end_trace
	expect_nothing
	unload
done
