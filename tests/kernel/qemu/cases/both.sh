# SPDX-License-Identifier: MIT
# Words of both sources: a program that registers memory, so that the kernel pins pages, while
# another device raises interrupts.
# modes: watch
. /bench/devices
load_driver edu
line=$(cat /sys/module/edu/parameters/line)
load_driver gpusim
mkdir -p /etc/modprobe.d
page=$(cat /sys/module/gpusim/parameters/usermode_address)
echo "options doorbell_watch hook=$HOOK hook_symbol=gpusim_mmap,gpusim_nvidia_mmap,gpusim_uvm_mmap doorbell=$page:4096 irq=$line" \
	>/etc/modprobe.d/ktail.conf
export LD_LIBRARY_PATH=/ktail/lib/ktail-softgpu

: >/tmp/go
while [ -e /tmp/go ]; do
	edu-device /tmp/stores >/tmp/interrupts 2>&1 || break
	sleep 0.1 # else the daemons are too slow in emulation
done &
others=$!
# The program runs for longer than there are no interrupts.
ktail-record --kernel=beside --access=exact -o /tmp/trace/copies -- \
	copies --memory registered --sizes 4,65536 --repeat 4 2>said || fail "copies: $(cat said)"
rm /tmp/go
wait $others
cat said /tmp/interrupts
grep -q ' 0 lost' said || fail 'events were lost'
rm /etc/modprobe.d/ktail.conf
unload
remove edu
