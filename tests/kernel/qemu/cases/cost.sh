# SPDX-License-Identifier: MIT
# Measures the costs under emulation: they are proportions, not figures of hardware.
# when: named
# modes: watch
. /bench/devices

echo 'ns                           doorbell    store    ioctl     mmap' >table
load_driver gpusim
cost 'without modules' >>table
remove gpusim
for MODE in off watch shadow; do
	for access in off coalesced; do
		load_gpusim
		echo $access >/sys/module/doorbell_watch/parameters/access
		cost "$MODE, access=$access" >>table
		begin_trace cost-$MODE-$access
		cost '  recorded' >>table
		end_trace
		unload
	done
done
cat table
