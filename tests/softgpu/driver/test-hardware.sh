#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the workloads with the software GPU's driver on NVIDIA's kernel module. The output must equal
# that of NVIDIA's driver (corpus/outputs), byte for byte, and the kernel log have no new Xid. Without
# the module in a release of 580, a workload must fail when it initializes.
# Usage: test-hardware.sh KTAIL WORKLOADS CORPUS NEEDS
# NEEDS: the program of hardware-needs.c
set -u
ktail=$1
workloads=$2
corpus=$3
needs=$4
failed=0
n=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "failed: $*"
	failed=$((failed + 1))
}

# on_gpu WORKLOAD [OPTION...]: sets `status`.
on_gpu()
{
	n=$((n + 1))
	program=$1
	shift
	case $program in /*) ;; *) program=$workloads/$program ;; esac
	timeout 60 "$ktail" softgpu --hardware "$program" "$@" > "$work/out" 2> "$work/err"
	status=$?
}

# Prints how many Xids the kernel log has, nothing if it may not be read.
xids()
{
	dmesg > "$work/log" 2> /dev/null && grep -c 'NVRM: Xid' "$work/log"
}

if ! grep -Eq '(x86_64 Kernel Module|Open Kernel Module for x86_64)  580\.' /proc/driver/nvidia/version 2> /dev/null; then
	on_gpu vadd
	if [ "$status" -eq 0 ] || ! grep -q cuInit "$work/err"; then
		fail "status $status without a device"
		cat "$work/err"
	fi
	exit "$failed"
fi

before=$(xids)
tab=$(printf '\t')
while IFS=$tab read -r name options command; do
	case $name in '#'* | '') continue ;; esac
	# shellcheck disable=SC2086 # words of a command line
	on_gpu $command
	if [ "$status" -ne 0 ] || ! cmp "$work/out" "$corpus/outputs/$name.txt"; then
		fail "$command: status $status"
		head -n 5 "$work/err"
	fi
done < "$corpus/recordings.tsv"
for command in 'vadd --size 333333' 'copies --memory pageable --max 65537 --repeat 3' \
	'copies --memory registered --max 65537' 'streams --streams 16 --rounds 20 --size 777' \
	'streams --threads 4 --streams 4 --blocking' 'graphs --nodes 1000 --launches 3' \
	'microbench --contexts 4 --streams 8 --requests 3 --kind mixed --length 1000' "$needs"; do
	# shellcheck disable=SC2086 # words of a command line
	on_gpu $command
	if [ "$status" -ne 0 ] || ! grep -q ok "$work/out" || grep -q wrong "$work/out"; then
		fail "$command: status $status"
		head -n 5 "$work/err"
	fi
done
if [ -z "$before" ]; then
	echo "Xids: not checked, the kernel log may not be read"
elif [ "$(xids)" -ne "$before" ]; then
	fail "$(grep 'NVRM: Xid' "$work/log" | tail -n 3)"
fi
echo "$n runs, $failed failed"
[ "$failed" -eq 0 ]
