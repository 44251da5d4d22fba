# SPDX-License-Identifier: MIT
# Which cases run, each with which hook and mode: lines "CASE HOOK MODE".

# What a case's head says, or all there is: "# modes: watch".
said_of() { # CASE WORD DEFAULT
	words=$(sed -n "s/^# $2: //p" "$here/cases/$1.sh")
	echo "${words:-$3}"
}

nth() { # N WORD...: counted from 0, beginning anew at the end
	n=$(($1 % ($# - 1)))
	shift $((n + 1))
	echo "$1"
}

# But those that run only where they are asked for: "# when: named".
every_case() {
	for file in "$here"/cases/*.sh; do
		grep -q '^# when: named' "$file" || basename "$file" .sh
	done
}

# Neighbours differ in the hook, every second pair in the mode: the default plan meets all.
make_plan() { # [CASE...]
	i=0
	[ $# -gt 0 ] || set -- $(every_case)
	for name; do
		[ -f "$here/cases/$name.sh" ] || die "find case $name: there is none, see bench --list"
		hooks=$(said_of "$name" hooks 'kretprobe ftrace')
		modes=$(said_of "$name" modes 'watch shadow')
		if [ -z "$full" ]; then
			hooks=$(nth $i $hooks)
			modes=$(nth $((i / 2)) $modes)
		fi
		for hook in $hooks; do
			for mode in $modes; do
				echo "$name $hook $mode"
			done
		done
		i=$((i + 1))
	done
}
