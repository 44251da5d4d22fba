# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# To be read by the sh scripts here: $root is the project's folder, $ktail the program that was
# asked for, or empty.

fail() {
	echo "${0##*/}: $*" >&2
	exit 2
}

# whole_number TEXT
whole_number() {
	case $1 in
	'' | *[!0-9]*) fail "'$1' is not a whole number" ;;
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

# A folder that goes with the script: $work.
make_work() {
	work=$(mktemp -d) || exit 2
	trap 'rm -rf "$work"' EXIT
	trap 'exit 2' HUP INT TERM
}

# $out, or a folder that goes with the script.
make_out() {
	[ -n "$out" ] || out=$work/out
	mkdir -p "$out" || exit 2
}
