# SPDX-License-Identifier: MIT
# Plans the cases: lines "CASE HOOK MODE".

# Prints a value from the head of a case ("# modes: watch"), or DEFAULT.
said_of() { # CASE WORD DEFAULT
	words=$(sed -n "s/^# $2: //p" "$here/cases/$1.sh")
	echo "${words:-$3}"
}

nth() { # N WORD...: counts from 0 and wraps around
	n=$(($1 % ($# - 1)))
	shift $((n + 1))
	echo "$1"
}

# Prints all cases, except those that run only on request: "# when: named".
every_case() {
	for file in "$here"/cases/*.sh; do
		grep -q '^# when: named' "$file" || basename "$file" .sh
	done
}

# Without --full, each case runs once. The hook changes with every case and the mode with every
# second case, so that the default plan covers all combinations of hook and mode.
make_plan() { # [CASE...]
	i=0
	[ $# -gt 0 ] || set -- $(every_case)
	for name; do
		[ -f "$here/cases/$name.sh" ] || die "unknown case $name (see bench --list)"
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
