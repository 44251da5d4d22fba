#!/bin/bash
# SPDX-License-Identifier: MIT
# Counts false alarms of gates (docs/results/gate.md): records nine workloads on the software GPU N
# times on an idle machine and N times beside BUSY busy processes. ROUNDS times for each workload,
# learns from three random recordings and checks the others; prints how many were refused.
# Usage: measure-gate.sh BUILD [N [ROUNDS [BUSY [WORKLOAD...]]]]
set -u
build=$(realpath "$1") n=${2:-63} rounds=${3:-5} load=${4:-4}
work=$(mktemp -d) || exit 2
busy=
trap 'kill $busy 2>/dev/null; rm -rf "$work"' EXIT
ktail=$build/bin/ktail
declare -A command=(
	[vadd]='vadd --size 4096 --repeat 5'
	[copies-pinned]='copies --memory pinned --max 262144'
	[copies-pageable]='copies --memory pageable --max 262144'
	[streams]='streams --streams 4 --rounds 3'
	[streams-blocking]='streams --streams 4 --rounds 3 --blocking'
	[graphs]='graphs --nodes 20 --launches 5'
	[micro-mixed]='microbench --contexts 1 --streams 2 --requests 10 --kind mixed --length 8192'
	[micro-compute]='microbench --contexts 2 --streams 1 --requests 10 --kind compute --length 1000'
	[threads]='streams --threads 4')
declare -A options=([threads]='--word thread')
workloads=("${@:5}")
[ ${#workloads[@]} -gt 0 ] || workloads=("${!command[@]}")

record() { # WORKLOAD NAME
	# shellcheck disable=SC2086
	"$ktail" record -q --softgpu --subbuf-size 262144 --num-subbuf 4 -o "$work/trace" -- \
		"$build/bin/corpus/"${command[$1]} >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
	# shellcheck disable=SC2086
	"$ktail" words -a rm ${options[$1]:-} "$work/trace" -o "$work/words" 2>"$work/out" || { cat "$work/out"; exit 1; }
	mkdir -p "$work/$1"
	mv "$work/words" "$work/$1/$2"
	rm -rf "$work/trace"
}

for state in idle busy; do
	if [ $state = busy ]; then
		for i in $(seq "$load"); do
			while :; do :; done &
			busy="$busy $!"
		done
	fi
	for i in $(seq "$n"); do
		for workload in "${workloads[@]}"; do
			record "$workload" $state-"$i"
		done
	done
done
printf '%-18s %8s %10s %8s %8s\n' workload letters different checked refused
for workload in "${workloads[@]}"; do
	checked=0 refused=0
	different=$(for folder in "$work/$workload"/*; do cat "$folder"/* | grep -v '^#' | md5sum; done | sort -u | wc -l)
	for round in $(seq "$rounds"); do
		mapfile -t folders < <(find "$work/$workload" -mindepth 1 -type d | sort |
			shuf --random-source=<(yes "$round"))
		# shellcheck disable=SC2086
		"$ktail" learn ${options[$workload]:-} "${folders[@]:0:3}" -o "$work/gate.json" 2>"$work/out" ||
			{ cat "$work/out"; exit 1; }
		for folder in "${folders[@]:3}"; do
			checked=$((checked + 1))
			"$ktail" check "$work/gate.json" "$folder" >"$work/out" 2>&1 || refused=$((refused + 1))
		done
	done
	printf '%-18s %8s %10s %8s %8s\n' "$workload" "$(cat "${folders[0]}"/* | grep -vc '^#')" "$different" \
		$checked $refused
done
