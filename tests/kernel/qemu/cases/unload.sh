# SPDX-License-Identifier: MIT
# The watch module is removed and loaded again while processes write doorbells and fork: no store
# is lost.
. /bench/devices
load_gpusim
for i in 1 2 3 4; do
	[ $i -lt 3 ] || echo coalesced >/sys/module/doorbell_watch/parameters/access
	begin out.1 live 1
	one=$begun
	begin out.2 live 2
	two=$begun
	expect mappings 6
	begin out.3 live 3 fork
	[ "$(parameter doorbells)" -gt 0 ] || fail 'no doorbell was observed'
	remove lttng-probe-gpu-stack
	remove doorbell_watch
	usleep 200000
	kill $one
	wait $one || fail "without the module: $(cat out.1)"
	watch_gpusim
	usleep 200000
	kill $two $begun
	wait $two || fail "with another module: $(cat out.2)"
	wait $begun || fail "a process that forks: $(cat out.3)"
	expect_nothing
done
unload
