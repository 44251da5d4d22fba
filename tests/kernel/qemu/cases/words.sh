# SPDX-License-Identifier: MIT
# The same programs, recorded by the kernel and by the library in them.
driver=gpusim
modprobe gpusim
mkdir -p /etc/modprobe.d
page=$(cat /sys/module/gpusim/parameters/usermode_address)
echo "options doorbell_watch hook=$HOOK mode=$MODE hook_symbol=gpusim_nvidia_mmap,gpusim_uvm_mmap doorbell=$page:4096" \
	>/etc/modprobe.d/ktail.conf
export LD_LIBRARY_PATH=/ktail/lib/ktail-softgpu

# both NAME COMMAND...: records the traces user/NAME.N and kernel/NAME.N
mkdir -p /tmp/trace/user /tmp/trace/kernel
both() {
	name=$1
	shift
	for i in 1 2; do
		ktail-record -o "/tmp/trace/user/$name.$i" -- "$@"
		ktail-record --kernel -o "/tmp/trace/kernel/$name.$i" -- "$@" 2>said
		cat said
		grep -q ' 0 lost, ' said || fail 'events were lost'
		! grep warning said || fail 'ktail-record warns'
	done
}

both vadd vadd --size 4096
both copies copies --memory pinned --sizes 4,65536 --repeat 2
both streams streams --streams 2 --rounds 1
both graphs graphs --nodes 3 --launches 2
rm /etc/modprobe.d/ktail.conf
unload
