# SPDX-License-Identifier: MIT
# Accesses are recorded in runs, and programs read the right values, for each way in which a
# driver maps pages.
. /bench/devices
for how in remap mixed lazy; do
	case $how in
	remap) load_gpusim ;;
	*) load_gpusim $how=1 ;;
	esac
	echo coalesced >/sys/module/doorbell_watch/parameters/access
	record $how accesses $how "$OUT/$how.word"
	expect untraced 0
	expect_nothing
	unload
done
