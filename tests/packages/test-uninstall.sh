#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that `--target uninstall` removes the installed files and folders and nothing else.
# Usage: test-uninstall.sh PROJECT BUILD
set -u
build=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# Installs one component, because concurrent tests that install do not change its manifest.
mkdir "$work/own"
uninstall() {
	cmake -D MANIFEST="$work/own/install_manifest.txt" -P "$1/cmake/uninstall.cmake" >"$work/log" 2>&1
}

if uninstall "$1"; then
	fail "succeeds where nothing was installed"
fi
# Installs below a DESTDIR, and to a prefix that contains another file.
for kind in root prefix; do
	rm -rf "${work:?}/$kind"
	mkdir "$work/$kind"
	case $kind in
	root) DESTDIR=$work/root && export DESTDIR && prefix=/usr/local ;;
	prefix) unset DESTDIR && prefix=$work/prefix && mkdir -p "$prefix/share/man" && : >"$prefix/share/man/other" ;;
	esac
	cmake --install "$build" --component Unspecified --prefix "$prefix" >"$work/log" 2>&1 || fail "$kind: install"
	mv "$build/install_manifest_Unspecified.txt" "$work/own/install_manifest.txt" || fail "$kind: there is no manifest"
	uninstall "$1" || fail "$kind: status $?"
	find "$work/$kind" ! -type d >"$work/left"
	case $kind in
	root)
		[ ! -s "$work/left" ] || fail "left: $(cat "$work/left")"
		[ -d "$work/root/usr/local/bin" ] || fail "/usr/local/bin is gone"
		find "$work/root" -path '*ktail*' | grep -q . && fail "left: folders of ktail's"
		;;
	prefix)
		[ "$(cat "$work/left")" = "$prefix/share/man/other" ] || fail "left: $(cat "$work/left")"
		[ "$(find "$prefix" -type d | wc -l)" = 3 ] || fail "left: $(find "$prefix" -type d)"
		;;
	esac
done
cmake --build "$build" --target help | grep -q '^uninstall:' || fail "there is no target uninstall"

[ "$failures" = 0 ] && echo "all as expected"
[ "$failures" = 0 ]
