# SPDX-License-Identifier: MIT
# Boots the guest and evaluates the results that it leaves in the shared folder.

# Time limits in seconds for one boot and for one case. A custom kernel may be slow, for example
# one with KASAN.
limit=1500 case_limit=300
[ -z "$kernel" ] || limit=10800 case_limit=1500
limit=$((limit + 3 * fuzz)) case_limit=$((case_limit + 3 * fuzz))

# QEMU before 8.1 may run stale code after another CPU has changed it; the kernel changes
# its code in this way.
thread=single
[ -z "$parallel" ] || thread=multi

# --pdeathsig ends the guest when the bench ends, for whatever reason.
boot() {
	exec setpriv --pdeathsig KILL timeout -k 5 "$limit" \
		setpriv --pdeathsig KILL qemu-system-x86_64 -accel "tcg,thread=$thread" -cpu max \
		-smp "$cpus" -m 2G -nographic -no-reboot -nic none -device edu \
		-virtfs "local,path=$results,mount_tag=out,security_model=none" \
		-kernel "$boot_image" -initrd "$out/initramfs" \
		-append 'console=ttyS0 panic=-1 oops=panic mitigations=off quiet loglevel=5 log_buf_len=16M' \
		</dev/null >"$results/console.$boots" 2>&1 9>&-
}

# Runs the checks on this machine for what a case has recorded.
check() { # NAME FOLDER
	[ -f "$here/cases/$1.check" ] || return 0
	KTAIL=$build/bin/ktail EVENTS=$here/steps/events HOOK=$hook MODE=$mode \
		sh -eu "$here/cases/$1.check" "$2" >"$2/check.log" 2>&1 && return 0
	tail -n 12 "$2/check.log" | cut -c 1-200 | sed 's/^/        /'
	return 1
}

# Reports whether the planted fault was found: the kernel must have complained.
judge_plant() {
	case $result in
	'the kernel '*) say "$name ($hook, $mode), with fault $plant: found, $seconds s: $result" ;;
	'the guest died')
		say "$name ($hook, $mode), with fault $plant: found, because the guest died:"
		grep -m 3 -E 'BUG|WARNING|Oops' "$results/console.$boots" | sed 's/^/        /'
		;;
	*)
		say "$name ($hook, $mode), with fault $plant: FAILED: not found: $result"
		failures=$((failures + 1))
		;;
	esac
}

# Reports the result of a case: the guest wrote "ok" or the reason for the failure.
judge() {
	folder=$results/$name.$hook.$mode
	result=$(cat "$folder/result" 2>/dev/null || echo 'the guest died')
	seconds=$(cat "$folder/seconds" 2>/dev/null || echo '?')
	[ ! -f "$folder/table" ] || sed 's/^/        /' "$folder/table"
	if [ -n "$plant" ] && [ "$name" = fuzz ]; then
		judge_plant
	elif [ "$result" != ok ]; then
		say "$name ($hook, $mode): FAILED: $result"
		case $result in
		'the guest died')
			grep '^qemu' "$results/console.$boots" || :
			tail -n 40 "$results/console.$boots" | tr -d '\r'
			;;
		*) tail -n 20 "$folder/log" ;;
		esac | sed 's/^/        /'
		failures=$((failures + 1))
	elif ! check "$name" "$folder"; then
		say "$name ($hook, $mode): FAILED: the trace is wrong"
		failures=$((failures + 1))
	else
		say "$name ($hook, $mode): ok, $seconds s"
	fi
}

# Prints the number of lines of a plan: "1 case", "2 cases".
cases_of() { # PLAN
	n=$(echo "$1" | wc -l)
	[ "$n" = 1 ] && echo '1 case' || echo "$n cases"
}

# Waits until the case has a result or the guest has ended.
await() {
	while [ ! -e "$results/$name.$hook.$mode/result" ] && kill -0 "$guest_process" 2>/dev/null; do
		sleep 1
	done
}

# Runs the plan. If the guest dies in a case, or a case leaves it unusable, it is booted again
# for the cases that are left.
run_plan() {
	boots=0 failures=0 rest=$plan
	rm -rf "$results"/*.*.*/ "$results"/console.*
	: >"$results/of-bench"
	while [ -n "$rest" ]; do
		boots=$((boots + 1))
		echo "$rest" >"$results/plan"
		echo "$case_limit" >"$results/limit"
		echo "$fuzz $seed" >"$results/fuzz"
		say "boot $release, $(cases_of "$rest")"
		rm -f "$results/booted"
		boot &
		guest_process=$!
		left=''
		while read -r name hook mode; do
			await
			if [ -e "$results/$name.$hook.$mode" ]; then
				judge
			else
				left="$left$name $hook $mode
"
			fi
		done <<-END
			$rest
		END
		wait "$guest_process" || :
		[ -f "$results/booted" ] || {
			tail -n 40 "$results/console.$boots" >&2
			die "the guest did not boot $release, see above"
		}
		[ "$left" != "$rest
" ] || die 'the guest ran no case: see its console'
		rest=${left%?}
	done
	say "$(cases_of "$plan"), $failures failed"
	judged=1
	[ "$failures" = 0 ] || exit 1
	exit 0
}
