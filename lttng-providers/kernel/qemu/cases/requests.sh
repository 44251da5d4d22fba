# SPDX-License-Identifier: MIT
# Memory that a program registers is told as the recorder in user space tells it. Of requests
# with whatever content, of several processes at once, one of them killed, nothing is left.
export LD_LIBRARY_PATH=/ktail/lib/ktail-softgpu

copies() {
	/ktail/bin/corpus/copies --memory registered --repeat 1 --sizes 4,65536
}

load_driver gpusim
load hook_symbol=gpusim_nvidia_mmap,gpusim_uvm_mmap access=coalesced
record kernel copies
for counter in untraced undecoded lost unknown; do
	[ "$(parameter $counter)" = 0 ] || fail "$counter is $(parameter $counter)"
done
if [ -x /bench/kmd/random-files ]; then
	begin_trace random
	/bench/kmd/random-files 1 3 200 || fail "requests at random: status $?"
	end_trace
fi
remove lttng-probe-gpu-stack
remove doorbell_watch
ktail-record -o /tmp/trace/user -- /ktail/bin/corpus/copies --memory registered --repeat 1 \
	--sizes 4,65536
remove gpusim
