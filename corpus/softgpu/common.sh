# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# Functions for the sh scripts in this folder. $root must be the project's folder; $ktail must be
# the program that the user named, or empty.

fail() {
	echo "${0##*/}: $*" >&2
	exit 2
}

# whole_number OPTION VALUE: fails unless the option's value is a whole number.
whole_number() {
	case $2 in
	'' | *[!0-9]*) fail "$1 must be a whole number, not '$2'" ;;
	esac
}

find_ktail() {
	for folder in release dev demo; do
		if [ -z "$ktail" ] && [ -x "$root/build/$folder/bin/ktail" ]; then
			ktail=$root/build/$folder/bin/ktail
		fi
	done
	[ -n "$ktail" ] || ktail=$(command -v ktail) ||
		fail "find ktail: neither built nor on PATH; give --ktail"
}

# Creates $work, a folder that is removed when the script ends.
make_work() {
	work=$(mktemp -d) || exit 2
	trap 'rm -rf "$work"' EXIT
	trap 'exit 2' HUP INT TERM
}

# Creates the folder $out. If $out is empty, sets it to a folder that is removed when the script
# ends.
make_out() {
	[ -n "$out" ] || out=$work/out
	mkdir -p "$out" || exit 2
}
