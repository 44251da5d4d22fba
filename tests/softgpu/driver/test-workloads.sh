#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the workloads on the software GPU. Each checks its own results against plain C, and the
# output must equal that on an H200 (corpus/outputs), byte for byte.
#   test-workloads.sh WORKLOADS FOLDER CORPUS [SANITIZER-LIBRARY]
#   test-workloads.sh WORKLOADS FOLDER CORPUS --valgrind
# WORKLOADS: folder of the workloads; FOLDER: folder of libktail-softgpu.so and libcuda.so.1;
# CORPUS: the source folder with recordings.tsv and outputs.
set -u
workloads=$1
folder=$2
corpus=$3
sanitizer=${4:-}
checker=''
if [ "$sanitizer" = --valgrind ]; then
	sanitizer=''
	# Without a leak check, which would read, and so fill, the device's sparse memory.
	checker='valgrind --quiet --error-exitcode=9 --leak-check=no'
fi
failed=0
n=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# on_gpu WORKLOAD [OPTION...]: runs in the environment set by the caller.
on_gpu()
{
	program=$1
	shift
	# shellcheck disable=SC2086 # no word or several
	LD_PRELOAD="$sanitizer${sanitizer:+:}$folder/libktail-softgpu.so" \
	LD_LIBRARY_PATH=$folder timeout 300 $checker "$workloads/$program" "$@"
}

# try WORKLOAD [OPTION...]: the exit status must be 0.
try()
{
	n=$((n + 1))
	if ! on_gpu "$@" > "$work/out" 2> "$work/err"; then
		echo "failed: ${KTAIL_SOFTGPU_TRANSFER:-dma}, version" \
			"${KTAIL_SOFTGPU_DRIVER:-2}: $*"
		head -n 20 "$work/out" "$work/err"
		failed=$((failed + 1))
	fi
}

# end: reports the result and exits.
end()
{
	echo "$n runs, $failed failed"
	[ "$n" -gt 0 ] && [ "$failed" -eq 0 ]
	exit
}

tab=$(printf '\t')
while IFS=$tab read -r name options command; do
	case $name in '#'* | '') continue ;; esac
	# shellcheck disable=SC2086 # words of a command line
	try $command
	if ! cmp "$work/out" "$corpus/outputs/$name.txt"; then
		echo "failed: $command: not what an H200 gave"
		failed=$((failed + 1))
	fi
done < "$corpus/recordings.tsv"

if [ -n "$checker" ]; then
	try streams --threads 4 --streams 2 --rounds 2 --size 777
	try microbench --contexts 4 --streams 4 --requests 3 --kind mixed --length 1000
	try graphs --nodes 100 --launches 2
	export KTAIL_SOFTGPU_DRIVER=1
	try graphs --nodes 100 --launches 2
	end
fi

# Workloads and options without a recording.
try corpus-info
try vadd --size 1 --repeat 3
try vadd --size 333333
for memory in pageable pinned registered; do
	try copies --memory $memory --max 65537 --repeat 3
done
try streams --streams 16 --rounds 20 --size 777
try streams --threads 8 --streams 4 --rounds 5 --size 1000
try streams --threads 8 --streams 4 --rounds 5 --size 1000 --blocking
try graphs --nodes 1000 --launches 3
try microbench --contexts 16 --streams 32 --requests 3 --kind mixed --length 1000
try microbench --contexts 2 --streams 4 --requests 20 --kind mixed --length 30001 --wait

# The other transfer methods: copies and mixed use unaligned sizes and offsets.
for transfer in mapped window chunk1 chunk4; do
	export KTAIL_SOFTGPU_TRANSFER=$transfer
	try vadd --size 70001
	try copies --memory pageable
	try copies --memory pinned --max 65537
	try copies --memory registered --max 65537
	try streams --threads 4 --streams 4 --rounds 2 --size 777
	try graphs --nodes 10
	try microbench --contexts 2 --streams 3 --requests 6 --kind mixed --length 4099
done
unset KTAIL_SOFTGPU_TRANSFER

# Version 1 submits graphs in another way.
export KTAIL_SOFTGPU_DRIVER=1
for nodes in 1 2 3 10 1000; do
	try graphs --nodes $nodes --launches 4
done
try streams --threads 4
unset KTAIL_SOFTGPU_DRIVER

# Unknown values are refused.
if KTAIL_SOFTGPU_TRANSFER=carrier-pigeon on_gpu vadd > "$work/out" 2>&1; then
	echo "failed: an unknown transfer method was accepted"
	failed=$((failed + 1))
fi

# Several processes at once, each with its own device.
jobs=
for i in 1 2 3 4; do
	on_gpu streams --threads 2 --rounds 10 > "$work/process-$i" 2>&1 &
	jobs="$jobs $!"
done
for job in $jobs; do
	n=$((n + 1))
	if ! wait "$job"; then
		echo "failed: one of several processes"
		cat "$work"/process-*
		failed=$((failed + 1))
	fi
done

end
