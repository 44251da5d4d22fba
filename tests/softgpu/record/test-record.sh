#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests README.md's instructions for users without a GPU, in the build tree and installed:
# workloads run on the software GPU, are recorded there, and their machines are inferred.
# Usage: test-record.sh BUILD BINDIR LIBDIR (the last two as CMake has them)
set -u

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../collect/counters.sh"
build=$1
bindir=$2
libdir=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
LTTNG_HOME=$scratch/home
TMPDIR=$scratch/tmp
export LTTNG_HOME TMPDIR
mkdir -p "$LTTNG_HOME" "$TMPDIR"
unset KTAIL_SOFTGPU_DRIVER KTAIL_SOFTGPU_TRANSFER
small='--subbuf-size 262144 --num-subbuf 4'

fail() {
	echo "FAILED: $*"
	[ ! -s "$scratch/err" ] || sed 's/^/  /' "$scratch/err"
	failures=$((failures + 1))
}

# bare NAME BIN COMMAND...: runs without a recorder and keeps the output.
bare() {
	name=$1
	bin=$2
	shift 2
	timeout 120 "$bin/ktail-softgpu" "$@" >"$scratch/$name.bare" 2>"$scratch/err" ||
		fail "$name: status $? on the software GPU"
	grep -q 'ok$' "$scratch/$name.bare" || fail "$name: prints no ok"
}

# recorded NAME BIN [OPTION...] -- COMMAND...: records without loss and with the same output.
recorded() {
	name=$1
	bin=$2
	shift 2
	# shellcheck disable=SC2086
	timeout 120 "$bin/ktail-record" -v --softgpu $small -o "$scratch/$name" "$@" \
		>"$scratch/$name.out" 2>"$scratch/err" || fail "$name: status $? recorded"
	cmp -s "$scratch/$name.bare" "$scratch/$name.out" || fail "$name: prints something else"
	grep -q ' 0 lost, [1-9][0-9]* doorbells in .*, software GPU$' "$scratch/err" &&
		grep -q "next: ktail $scratch/$name -o fsm.svg\$" "$scratch/err" &&
		has_counters "$scratch/err" '0 fragments' '0 idle doorbells' ||
		fail "$name: not all was seen"
	grep -q 'software GPU: driver version [12], transfers by [a-z0-9]*$' "$scratch/err" ||
		fail "$name: does not say which software GPU it was"
	grep -q '"gpu": "software"' "$scratch/$name/softgpu.json" ||
		fail "$name: its folder does not say that it was not hardware"
}

# machine NAME: checks that the word has a submission's letters, and infers the machine with k = 20.
machine() {
	timeout 120 "$build/bin/ktail" --k 20 "$scratch/$1/" -o "$scratch/$1.json" \
		-o "$scratch/$1.svg" 2>"$scratch/err" || fail "$1: no machine"
	[ -s "$scratch/$1.json" ] && [ -s "$scratch/$1.svg" ] || fail "$1: a drawing is missing"
	timeout 120 "$build/bin/ktail" words "$scratch/$1/" -o "$scratch/$1.words" \
		2>"$scratch/err" || fail "$1: no words"
	for letter in ioctl:0x2b map:reg W:sys W:fb W:reg R:sys; do
		grep -qrx -e "$letter" "$scratch/$1.words" || fail "$1: no letter $letter"
	done
}

vadd=$build/bin/corpus/vadd
bare vadd "$build/bin" "$vadd"
recorded vadd "$build/bin" -- "$vadd"
machine vadd

# Each doorbell submits one entry: a store to its ring, then one to GP_PUT, apart by their roles.
babeltrace2 "$scratch/vadd" 2>"$scratch/err" | awk '
	/gpu_stack:(doorbell|submission):/ { if (++n && roles != " ring GP_PUT") wrong++; roles = "" }
	/gpu_stack:access:.* op = "W", space = "fb"/ { role = $0; sub(/.*role = "/, "", role); sub(/".*/, "", role)
		roles = roles " " role }
	/gpu_stack:access:.* space = "reg"/ && !/role = "timer"/ { wrong++ }
	END { exit !(n > 3 && !wrong) }' || fail "vadd: other roles of accesses"

# Through `ktail`, which finds the program in its own folder.
"$build/bin/ktail" softgpu "$vadd" >"$scratch/out" 2>"$scratch/err" || fail "ktail softgpu"
cmp -s "$scratch/vadd.bare" "$scratch/out" || fail "ktail softgpu prints something else"

# The options reach the driver: every transfer method copies correctly.
for method in dma mapped window chunk1 chunk4; do
	bare "copies-$method" "$build/bin" --softgpu-transfer "$method" \
		"$build/bin/corpus/copies" --max 65536
	cmp -s "$scratch/copies-dma.bare" "$scratch/copies-$method.bare" ||
		fail "copies by $method: other checksums"
done
for driver in 1 2; do
	name=graphs-$driver
	bare "$name" "$build/bin" --softgpu-driver "$driver" "$build/bin/corpus/graphs" --nodes 10
	recorded "$name" "$build/bin" --softgpu-driver "$driver" -- \
		"$build/bin/corpus/graphs" --nodes 10
	sed -n 's/.* \([0-9]*\) doorbells.*/\1/p' "$scratch/err" >"$scratch/$name.bells"
done
cmp -s "$scratch/graphs-1.bare" "$scratch/graphs-2.bare" || fail "driver versions compute apart"
[ "$(cat "$scratch/graphs-1.bells")" -gt "$(cat "$scratch/graphs-2.bells")" ] ||
	fail "driver 1 does not ring more often than driver 2"

# Installed in another root folder.
DESTDIR=$scratch/root cmake --install "$build" >"$scratch/err" 2>&1 || fail "install"
installed=$(find "$scratch/root" -path "*/$bindir/ktail-softgpu" -type f)
installed=${installed%/*}
find "$scratch/root" -path "*/$libdir/ktail-softgpu/libcuda.so.1" | grep -q . ||
	fail "libcuda.so.1 is not installed"
workload=$(find "$scratch/root" -path '*/ktail-softgpu/corpus/vadd' -type f)
[ -x "$workload" ] || fail "the workloads are not installed"
bare installed "$installed" "$workload"
cmp -s "$scratch/vadd.bare" "$scratch/installed.bare" || fail "installed: prints something else"
recorded installed "$installed" -- "$vadd"
machine installed

[ "$failures" = 0 ] && echo "all as expected"
[ "$failures" = 0 ]
