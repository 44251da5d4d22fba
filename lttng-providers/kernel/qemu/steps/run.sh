# SPDX-License-Identifier: MIT
# Boots the guest, and looks at what it has left in the shared folder.

# Seconds, for one life of the guest and for a case. A kernel of one's own may be slow: one
# that checks itself.
limit=1500 case_limit=300
[ -z "$kernel" ] || limit=10800 case_limit=1500
limit=$((limit + 3 * fuzz)) case_limit=$((case_limit + 3 * fuzz))

# Before 8.1 QEMU may run code that another processor has changed: the kernel does that.
thread=single
[ -z "$parallel" ] || thread=multi

# However the bench ends, the guest does, too.
boot() {
	exec setpriv --pdeathsig KILL timeout -k 5 "$limit" \
		setpriv --pdeathsig KILL qemu-system-x86_64 -accel "tcg,thread=$thread" -cpu max \
		-smp "$cpus" -m 2G -nographic -no-reboot -nic none -device edu \
		-virtfs "local,path=$results,mount_tag=out,security_model=none" \
		-kernel "$boot_image" -initrd "$out/initramfs" \
		-append 'console=ttyS0 panic=-1 oops=panic mitigations=off quiet loglevel=5 log_buf_len=16M' \
		</dev/null >"$results/console.$life" 2>&1 9>&-
}

# Checks on this machine, of what a case has recorded.
check() { # NAME FOLDER
	[ -f "$here/cases/$1.check" ] || return 0
	KTAIL=$build/bin/ktail EVENTS=$here/steps/events HOOK=$hook MODE=$mode \
		sh -eu "$here/cases/$1.check" "$2" >"$2/check.log" 2>&1 && return 0
	tail -n 12 "$2/check.log" | cut -c 1-200 | sed 's/^/        /'
	return 1
}

# The kernel has to have complained.
judge_plant() {
	case $result in
	'the kernel '*) say "$name ($hook, $mode), with fault $plant: found, $seconds s: $result" ;;
	'the guest has died')
		say "$name ($hook, $mode), with fault $plant: found, for the guest has died:"
		grep -m 3 -E 'BUG|WARNING|Oops' "$results/console.$life" | sed 's/^/        /'
		;;
	*)
		say "$name ($hook, $mode), with fault $plant: FAILED: it was not found: $result"
		failures=$((failures + 1))
		;;
	esac
}

# Says what became of a case: the guest has written "ok" or the reason why not.
judge() {
	folder=$results/$name.$hook.$mode
	result=$(cat "$folder/result" 2>/dev/null || echo 'the guest has died')
	seconds=$(cat "$folder/seconds" 2>/dev/null || echo '?')
	[ ! -f "$folder/table" ] || sed 's/^/        /' "$folder/table"
	if [ -n "$plant" ] && [ "$name" = fuzz ]; then
		judge_plant
	elif [ "$result" != ok ]; then
		say "$name ($hook, $mode): FAILED: $result"
		case $result in
		'the guest has died') tail -n 40 "$results/console.$life" | tr -d '\r' ;;
		*) tail -n 20 "$folder/log" ;;
		esac | sed 's/^/        /'
		failures=$((failures + 1))
	elif ! check "$name" "$folder"; then
		say "$name ($hook, $mode): FAILED: what was recorded is not right"
		failures=$((failures + 1))
	else
		say "$name ($hook, $mode): ok, $seconds s"
	fi
}

# "1 case", "2 cases": the lines of a plan.
cases_of() { # PLAN
	n=$(echo "$1" | wc -l)
	[ "$n" = 1 ] && echo '1 case' || echo "$n cases"
}

# Until the guest has done with a case, or is no more.
await() {
	while [ ! -e "$results/$name.$hook.$mode/result" ] && kill -0 "$guest_process" 2>/dev/null; do
		sleep 1
	done
}

# A case in which the guest dies is the last one of that life: the others get another.
run_plan() {
	life=0 failures=0 rest=$plan
	rm -rf "$results"/*.*.*/ "$results"/console.*
	: >"$results/of-bench"
	while [ -n "$rest" ]; do
		life=$((life + 1))
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
			tail -n 40 "$results/console.$life" >&2
			die "boot $release: the guest does not come up, see above"
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
