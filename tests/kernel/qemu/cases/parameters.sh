# SPDX-License-Identifier: MIT
# Parameters are read and written while the module is loaded and removed: no file is left. Only
# root may read those that reveal activity of other users' programs.
# modes: watch
. /bench/devices
load_driver gpusim
mkdir -p /tmp/cgroup
folder=/sys/module/doorbell_watch/parameters

write_all() {
	set +e
	while [ ! -e /tmp/enough ]; do
		echo 1 >$folder/pids
		echo 5,6 >$folder/irq
		echo 4 >$folder/majors
		echo / >$folder/cgroup
		cat $folder/pids $folder/irq $folder/majors $folder/cgroup
	done >/dev/null 2>&1
}

modprobe doorbell_watch "hook=$HOOK" "mode=$MODE" hook_symbol=gpusim_mmap || fail modprobe
for name in pids cgroup doorbell doorbells events processes mappings; do
	case $(stat -c %A $folder/$name) in
	-r??------) ;;
	*) fail "others may read $name" ;;
	esac
done
remove doorbell_watch
mount -t cgroup2 cgroup /tmp/cgroup
write_all &
first=$!
write_all &
second=$!
for i in 1 2 3 4 5 6 7 8; do
	modprobe doorbell_watch "hook=$HOOK" "mode=$MODE" hook_symbol=gpusim_mmap || fail modprobe
	sleep 0.2
	remove doorbell_watch
done
: >/tmp/enough
wait $first $second || :
rm /tmp/enough
umount /tmp/cgroup
unload
