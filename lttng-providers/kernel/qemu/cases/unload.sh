# SPDX-License-Identifier: MIT
# The watch module goes and comes while processes use the doorbell: no kick is lost.
. /bench/devices
load_gpusim
for i in 1 2 3 4; do
	[ $i -lt 3 ] || echo coalesced >/sys/module/doorbell_watch/parameters/access
	begin out.1 live 1
	one=$begun
	begin out.2 live 2
	expect mappings 6
	[ "$(parameter doorbells)" -gt 0 ] || fail 'no doorbell is seen'
	remove lttng-probe-gpu-stack
	remove doorbell_watch
	usleep 200000
	kill $one
	wait $one || fail "without the module: $(cat out.1)"
	watch_gpusim
	usleep 200000
	kill $begun
	wait $begun || fail "with another one: $(cat out.2)"
	expect_nothing
done
unload
