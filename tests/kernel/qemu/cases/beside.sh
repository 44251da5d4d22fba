# SPDX-License-Identifier: MIT
# One recording by both the kernel and the recorder's library. It has a program that both observe,
# and a statically linked program that only the kernel observes.
# modes: watch
driver=gpusim
modprobe gpusim
mkdir -p /etc/modprobe.d
page=$(cat /sys/module/gpusim/parameters/usermode_address)
echo "options doorbell_watch hook=$HOOK hook_symbol=gpusim_mmap,gpusim_nvidia_mmap,gpusim_uvm_mmap doorbell=$page:4096" \
	>/etc/modprobe.d/ktail.conf
export LD_LIBRARY_PATH=/ktail/lib/ktail-softgpu

# beside TRACE COMMAND...
beside() {
	trace=$1
	shift
	ktail-record --kernel=beside --api=wrap -o "/tmp/trace/$trace" -- "$@" 2>said || fail "$*: $(cat said)"
	cat said
	grep -q ' 0 lost' said || fail 'events were lost'
	! grep warning said | grep -v "statically linked" || fail 'ktail-record warns'
}

beside vadd vadd --size 4096
beside two sh -c 'vadd --size 4096; burst /dev/null 50'
rm /etc/modprobe.d/ktail.conf
unload
