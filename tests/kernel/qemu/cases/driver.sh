# SPDX-License-Identifier: MIT
# The driver is removed and loaded again while the watch module stays loaded.
. /bench/devices
load_gpusim
begin_trace driver
for i in 1 2 3; do
	# At another physical address the module does not know its doorbells.
	if [ "$(cat /sys/module/gpusim/parameters/physical)" = "$(printf 0x%x $physical)" ]; then
		burst "$OUT/said" 100
	fi
	begin out live 1
	! rmmod gpusim 2>/dev/null || fail 'the driver was removed while in use'
	kill $begun
	wait $begun || fail "$(cat out)"
	expect_nothing
	remove gpusim
	modprobe gpusim
done
end_trace
unload
