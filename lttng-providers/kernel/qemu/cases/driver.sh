# SPDX-License-Identifier: MIT
# The driver goes and comes while the watch module stays.
. /bench/devices
load_gpusim
begin_trace driver
for i in 1 2 3; do
	# It may come to lie elsewhere; then its doorbells are not known.
	if [ "$(cat /sys/module/gpusim/parameters/physical)" = "$(printf 0x%x $physical)" ]; then
		burst "$OUT/said" 100
	fi
	begin out live 1
	! rmmod gpusim 2>/dev/null || fail 'the driver goes while it is in use'
	kill $begun
	wait $begun || fail "$(cat out)"
	expect_nothing
	remove gpusim
	modprobe gpusim
done
end_trace
unload
