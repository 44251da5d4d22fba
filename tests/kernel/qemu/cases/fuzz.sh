# SPDX-License-Identifier: MIT
# Random system calls (fuzz/fuzz.c), with each hook and mode in turn. At first parameters change,
# sessions begin and end, and the module is removed and loaded again. Then the module stays loaded,
# and each store to a doorbell must be reported once (fuzz/witness.c). The kernel must not print a
# warning, nothing may be left at the end, and each function of the module that the kernel calls
# must have been called.
# hooks: ftrace
# modes: watch
. /bench/devices
read -r time seed </out/fuzz
began=$(cut -d. -f1 /proc/uptime)
round=0

# Functions of the module whose addresses the kernel has, all of which must be called.
# Those that run only if memory is short, and those for pages that a kernel thread unmaps,
# are left out.
hooks='replacement_0 mmap_entered mmap_returned on_ioctl on_ioctl_ia32 on_open call_returned
	on_pages on_pages_fast on_pages_remote on_long on_int forked execed exited begin_child on_fork
	on_handled module_changes vma_open vma_close vma_fault vma_mremap vma_access
	dw_mapping_pfn_mkwrite on_invalidate on_invalidated revoked refresh_all triggered
	on_debug_exception run_deferred settle_deferred emit_deferred join leave close_doorbell leave_deferred
	open_deferred end_now release_mapping release_process show_counter set_access get_access
	set_pids get_text set_majors get_majors set_cgroup set_lines get_lines'

has_time() {
	[ $(($(cut -d. -f1 /proc/uptime) - began)) -lt "$time" ] && ! noticed
}

# Succeeds if the kernel has printed a warning.
noticed() {
	dmesg | grep -qE "$bad"
}

load_again() { # ACCESS
	load_fuzzed "doorbell=$(cat /sys/module/gpusim/parameters/physical):32768" \
		hook_symbol=gpusim_mmap,gpusim_nvidia_mmap,gpusim_uvm_mmap \
		"irq=$(cat /sys/module/edu/parameters/line)" "access=$1"
}

begin_session() {
	lttng -q create fuzz --snapshot
	lttng -q enable-channel -k -s fuzz --subbuf-size=64K --num-subbuf=2 gpu_stack
	lttng -q enable-event -k -s fuzz -c gpu_stack 'gpu_stack_*'
	lttng -q start fuzz
}

rewrite_parameters() {
	cat /sys/module/doorbell_watch/parameters/* >/dev/null
	for name in pids majors cgroup irq; do
		cp "/sys/module/doorbell_watch/parameters/$name" said
		cat said 2>/dev/null >"/sys/module/doorbell_watch/parameters/$name"
	done
}

set_parameter() { # NAME VALUE
	echo "$2" >"/sys/module/doorbell_watch/parameters/$1" || fail "$1=$2"
}

# Changes something while a program runs.
change() { # STEP
	case $(($1 % 8)) in
	0) set_parameter access coalesced ;;
	1) begin_session ;;
	2) set_parameter pids "$fuzzed" && rewrite_parameters ;;
	3) echo 1 >/sys/module/gpusim/parameters/lazy ;;
	4) set_parameter access off && set_parameter pids '' ;;
	5) echo 0 >/sys/module/gpusim/parameters/lazy ;;
	6) lttng -q destroy fuzz ;;
	7)
		remove lttng-probe-gpu-stack
		remove doorbell_watch
		load_again off
		;;
	esac
}

begin_fuzz() { # SECONDS
	number=$((number + 1))
	fuzz "$1" $((seed + number)) >"said.$number" &
	fuzzed=$!
}

# Shows the state of processes that do not end.
show_stuck() {
	for process in /proc/[0-9]*; do
		case $(cat "$process/comm" 2>/dev/null) in
		fuzz | exe) (cd "$process" && head -n 3 status && cat stat syscall stack) 2>/dev/null ;;
		esac
	done
	echo l >/proc/sysrq-trigger
	dmesg | tail -n 60
}

fuzz_runs() {
	grep -q '^State:.[^Z]' "/proc/$fuzzed/status" 2>/dev/null
}

end_fuzz() {
	! noticed || kill $fuzzed
	wait $fuzzed || noticed || show_stuck
	grep -q '^all ' "said.$number" || noticed || fail "fuzz, seed $((seed + number)): status $?"
	cat "said.$number" >>said.all
}

while_it_changes() { # SECONDS
	begin_fuzz "$1"
	step=0 lazy=$(cat /sys/module/gpusim/parameters/lazy)
	while fuzz_runs; do
		! noticed || break
		change $step
		step=$((step + 1))
		usleep 100000
	done
	end_fuzz
	lttng -q destroy --all
	set_parameter pids ''
	set_parameter access coalesced
	echo "$lazy" >/sys/module/gpusim/parameters/lazy
}

while_it_stays() { # SECONDS
	modprobe gpusim_snapshot || fail 'modprobe gpusim_snapshot'
	begin_fuzz "$1"
	while fuzz_runs; do
		! noticed || break
		witnessed=$((witnessed + 1))
		witness 300 $((seed * 1000 + witnessed))
	done
	end_fuzz
	remove gpusim_snapshot
}

# Runs one hook and mode; the parameters of gpusim choose how its driver maps pages.
run_round() { # SECONDS HOOK MODE [PARAMETER=VALUE... of gpusim]
	part=$(($1 / 2)) HOOK=$2 MODE=$3
	shift 3
	load_driver gpusim "$@"
	modprobe edu page=1 || fail 'modprobe edu'
	chmod 666 /dev/gpusim /dev/nvidia* /dev/edu
	load_again coalesced
	echo "at $(cut -d. -f1 /proc/uptime): $HOOK $MODE $*"
	set_parameter pids $$
	rewrite_parameters
	fuzz tour >said.tour || { show_stuck; fail 'fuzz tour'; }
	set_parameter pids ''
	cat said.tour >>said.all
	echo "at $(cut -d. -f1 /proc/uptime): while it changes"
	while_it_changes $part
	echo "at $(cut -d. -f1 /proc/uptime): while it stays"
	noticed || while_it_stays $part
	! noticed || return 0
	expect_nothing
	find_leaks
	cat /sys/kernel/debug/dw_coverage >blocks
	remove lttng-probe-gpu-stack
	remove doorbell_watch
	remove edu
	remove gpusim
}

# Checks for leaks with kmemleak, which skips objects that are less than 5 s old.
find_leaks() {
	[ -e /sys/kernel/debug/kmemleak ] || return 0
	echo scan >/sys/kernel/debug/kmemleak
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	! grep -q '\[doorbell_watch\]' /sys/kernel/debug/kmemleak || {
		cat /sys/kernel/debug/kmemleak
		fail 'memory was leaked'
	}
}

write_report() {
	mkdir -p "$OUT"
	{
		echo "$(awk '$1 == "all" { n += $2 } END { print n + 0 }' said.all) calls," \
			"$(awk '$1 == "programs" { n += $2 } END { print n + 0 }' said.all) programs," \
			"$witnessed witnesses, $round rounds of four"
		echo "$(wc -l <blocks) of $(cat /bench/fuzzed/blocks) basic blocks of the module were executed;" \
			"functions that the kernel calls, with their call counts:"
		calls_of_functions blocks >functions
		for name in $hooks; do
			echo "$name $(sed -n "s/^\([0-9]*\) $name\$/\1/p" functions)"
		done | awk '{ printf "%-24s%12d%s", $1, $2, NR % 2 ? "    " : "\n" } END { if (NR % 2) print "" }'
	} >"$OUT/table"
	awk '{ n[$1] += $2 } END { for (name in n) print name, n[name] }' said.all | sort >"$OUT/calls"
}

all_are_reached() {
	for name in $hooks; do
		grep -q " $name\$" functions || missing="$missing $name"
	done
	[ -z "$missing" ] || fail "functions that were never called:$missing"
}

number=0 witnessed=0 missing=''
: >blocks
mkdir -p /tmp/cgroup
mount -t cgroup2 cgroup /tmp/cgroup
modprobe coverage || fail 'modprobe coverage'
each=$((time < 192 ? time / 4 : 48))
while [ $round = 0 ] || has_time; do
	round=$((round + 1))
	run_round $each ftrace watch mixed=1
	noticed || run_round $each ftrace shadow sleeps=1
	noticed || run_round $each kretprobe watch lazy=1 whole=1
	noticed || run_round $each kretprobe shadow lazy=1
done
write_report
umount /tmp/cgroup
! noticed || {
	echo "after $(($(cut -d. -f1 /proc/uptime) - began)) s"
	exit 0 # the bench reports the warning
}
all_are_reached
remove coverage
