# SPDX-License-Identifier: MIT
# The cost of a fault in a large mapping does not grow with the mapping: each fault reads at most
# $most page table entries.
# modes: watch
. /bench/devices
pages=8192 most=1100
load_driver gpusim
modprobe coverage || fail 'modprobe coverage'

entries_read() {
	entries='^(inspect_entry|read_entry|note_entry|clear_entry|set_entry)$'
	calls_of_functions /sys/kernel/debug/dw_coverage |
		awk -v entries="$entries" '$2 ~ entries { n += $1 } END { print n + 0 }'
}

load_fuzzed hook_symbol=gpusim_mmap \
	"doorbell=$(cat /sys/module/gpusim/parameters/physical):32768"
for access in off coalesced; do
	echo $access >/sys/module/doorbell_watch/parameters/access
	before=$(entries_read)
	large $pages || fail "large: status $?"
	n=$(($(entries_read) - before))
	echo "access=$access: $((n / pages)) entries per fault"
	[ $n -ge $pages ] && [ $n -le $((pages * most)) ] ||
		fail "access=$access: $n entries were read for $pages pages"
done
expect_nothing
unload
remove coverage
