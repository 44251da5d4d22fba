# SPDX-License-Identifier: MIT
# The kernel records memory that a program registers just as the recorder in user space does.
# Random requests of several processes at once, one of which is killed, must not leak anything.
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
	/bench/kmd/random-files 1 3 200 || fail "random requests: status $?"
	end_trace
fi
remove lttng-probe-gpu-stack
remove doorbell_watch
ktail-record -o /tmp/trace/user -- /ktail/bin/corpus/copies --memory registered --repeat 1 \
	--sizes 4,65536
remove gpusim
