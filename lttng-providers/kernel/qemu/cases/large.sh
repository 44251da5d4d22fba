# SPDX-License-Identifier: MIT
# What a fault in a large mapping costs does not grow with it: of each, this many entries of page
# tables are looked at, and no more.
# modes: watch
. /bench/devices
pages=8192 most=1100
load_driver gpusim
modprobe coverage || fail 'modprobe coverage'

looks() {
	entries='^(read_entry|inspect_entry|note_entry|clear_entry|set_entry)$'
	calls_of_functions /sys/kernel/debug/dw_coverage |
		awk -v entries="$entries" '$2 ~ entries { n += $1 } END { print n + 0 }'
}

load_fuzzed hook_symbol=gpusim_mmap \
	"doorbell=$(cat /sys/module/gpusim/parameters/physical):32768"
for access in off coalesced; do
	echo $access >/sys/module/doorbell_watch/parameters/access
	before=$(looks)
	large $pages || fail "large: status $?"
	n=$(($(looks) - before))
	echo "access=$access: $((n / pages)) entries a fault"
	[ $n -ge $pages ] && [ $n -le $((pages * most)) ] ||
		fail "access=$access: $n entries were looked at for $pages pages"
done
expect_nothing
unload
remove coverage
