# SPDX-License-Identifier: MIT
# The corpus's workloads run on gpusim.ko as on an H200, and everything that they used is freed.
# hooks: kretprobe
# modes: watch
load_driver gpusim
sh /bench/cases/softgpu-workloads /ktail/bin/corpus /ktail/lib/ktail-softgpu /bench/corpus \
	/bench/kmd >workloads.log 2>&1 || status=$?
cat workloads.log
[ -z "${status:-}" ] || fail "$(grep '^not ok' workloads.log | head -n 1)"
unload
