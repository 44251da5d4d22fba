#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the arguments, the resulting files and the errors of make-prefix, with stand-ins for apt-get
# and dpkg.
# Usage: test-make-prefix.sh PROJECT BUILD
set -u
project=$1
build=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
mkdir "$work/tools"

# apt-get creates an empty file for every package; dpkg unpacks the same programs, manual page and
# library from each.
cat >"$work/tools/apt-get" <<'TOOL'
#!/bin/sh
[ -z "${NO_ARCHIVE:-}" ] || { echo 'E: no such package'; exit 100; }
shift 2
for package; do : >"$package.deb"; done
TOOL
cat >"$work/tools/dpkg" <<'TOOL'
#!/bin/sh
mkdir -p "$3/usr/bin" "$3/usr/share/man" "$3/usr/lib/x86_64-linux-gnu"
cp /bin/sh "$3/usr/bin/lttng"
printf '#!/bin/sh\necho "%s"\n' "${DRAWING:-<svg></svg>}" >"$3/usr/bin/gnuplot-nox"
chmod +x "$3/usr/bin/gnuplot-nox"
echo page >"$3/usr/share/man/page"
echo data >"$3/usr/lib/x86_64-linux-gnu/libicudata.so.72.1"
TOOL
chmod +x "$work/tools/apt-get" "$work/tools/dpkg"

fail() {
	echo "FAIL: $*"
	sed 's/^/  /' "$work/out"
	failures=$((failures + 1))
}

# prefix STATUS ARGUMENT...: runs make-prefix and checks its exit status.
prefix() {
	expected=$1
	shift
	PATH=$work/tools:$PATH "$project/scripts/make-prefix" "$@" >"$work/out" 2>&1
	status=$?
	[ "$status" -eq "$expected" ] || fail "make-prefix $*: status $status, not $expected"
}

prefix 0 --help
prefix 2
prefix 2 --no-such-option "$work/p"
prefix 2 --build
prefix 2 "$work/p" "$work/q"
prefix 2 --build "$work" "$work/p"
prefix 2 "$work"
grep -q 'neither empty nor a prefix' "$work/out" || fail "does not report that the folder is not empty"
NO_ARCHIVE=1
export NO_ARCHIVE
prefix 2 "$work/p"
grep -q 'no such package' "$work/out" || fail "hides the message of apt-get"
unset NO_ARCHIVE
DRAWING='no terminal'
export DRAWING
prefix 2 "$work/p"
grep -q 'gnuplot in the prefix does not work: no terminal' "$work/out" || fail "hides the message of gnuplot"
unset DRAWING
[ -z "$(find "$work" -name 'p*')" ] || fail "a failed run left something behind"

# The path of the folder may be relative.
before=$(pwd)
cd "$work" || exit 1
prefix 0 --archive relative.tar.gz relative
[ -s relative.tar.gz ] && [ -x relative/usr/bin/gnuplot ] || fail "nothing in a relative folder"
cd "$before" || exit 1

prefix 0 --build "$build" --archive "$work/p.tar.gz" "$work/p"
prefix 0 --build "$build" --archive "$work/p.tar.gz" "$work/p"
[ -x "$work/p/ktail/bin/corpus/vadd" ] || fail "the workloads are missing"
[ -x "$work/p/ktail/share/raw/run-examples.sh" ] || fail "the examples of ktail raw are missing"
[ -x "$work/p/ktail/bin/ktail-softgpu" ] || fail "ktail-softgpu is missing"
[ -s "$work/p/ktail/lib/libktail-cupti.so" ] || fail "the library that libcuda loads is missing"
[ ! -d "$build/lib/ktail-softgpu" ] || [ -s "$work/p/ktail/lib/ktail-softgpu/libcuda.so.1" ] ||
	fail "the software GPU is missing"
[ ! -e "$work/p/usr/share/man" ] || fail "manual pages are still there"
[ ! -e "$work/p/usr/lib/x86_64-linux-gnu/libicudata.so.72.1" ] || fail "ICU's tables are there"

[ "$("$work/p/usr/bin/gnuplot")" = '<svg></svg>' ] || fail "gnuplot's wrapper does not start it"
[ -e "$work/p/usr/lib/gnuplot-svg-alone/libgd.so.3" ] || fail "what gnuplot needs not draw with is missing"

# The archive can be unpacked elsewhere, and a shell other than bash can source env.sh.
mkdir "$work/host"
tar -C "$work/host" -xzf "$work/p.tar.gz"
found=$(KTAIL_PREFIX=$work/host LTTNG_HOME=$work/home sh -c \
	'. "$KTAIL_PREFIX/env.sh"; command -v lttng; echo "$LTTNG_CONSUMERD64_BIN"')
[ "$found" = "$work/host/usr/bin/lttng
$work/host/usr/lib/x86_64-linux-gnu/lttng/libexec/lttng-consumerd" ] ||
	fail "env.sh gives: $found"

[ "$failures" -eq 0 ]
