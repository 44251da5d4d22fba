#!/bin/bash
# SPDX-License-Identifier: MIT
# Counts false alarms of gates (docs/results/gate.md): records eight workloads on the software GPU N
# times on an idle machine and N times beside four busy processes. ROUNDS times for each workload,
# learns from three random recordings and checks the others; prints how many were refused.
# Usage: measure-gate.sh BUILD [N [ROUNDS]]
set -u
build=$(realpath "$1") n=${2:-63} rounds=${3:-5}
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
	[micro-compute]='microbench --contexts 2 --streams 1 --requests 10 --kind compute --length 1000')

record() { # WORKLOAD NAME
	# shellcheck disable=SC2086
	"$ktail" record -q --softgpu --subbuf-size 262144 --num-subbuf 4 -o "$work/trace" -- \
		"$build/bin/corpus/"${command[$1]} >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
	"$ktail" words -a rm "$work/trace" -o "$work/words" 2>"$work/out" || { cat "$work/out"; exit 1; }
	mkdir -p "$work/$1"
	mv "$work"/words/*.events "$work/$1/$2.events"
	rm -rf "$work/trace" "$work/words"
}

for load in idle busy; do
	if [ $load = busy ]; then
		for i in 1 2 3 4; do
			while :; do :; done &
			busy="$busy $!"
		done
	fi
	for i in $(seq "$n"); do
		for workload in "${!command[@]}"; do
			record "$workload" $load-"$i"
		done
	done
done
printf '%-18s %8s %10s %8s %8s\n' workload letters different checked refused
for workload in "${!command[@]}"; do
	checked=0 refused=0
	different=$(for file in "$work/$workload"/*; do grep -v '^#' "$file" | md5sum; done | sort -u | wc -l)
	for round in $(seq "$rounds"); do
		mapfile -t files < <(find "$work/$workload" -name '*.events' | sort |
			shuf --random-source=<(yes "$round"))
		"$ktail" learn "${files[@]:0:3}" -o "$work/gate.json" 2>"$work/out" || { cat "$work/out"; exit 1; }
		fits=$("$ktail" check "$work/gate.json" "${files[@]:3}" | grep -c ', fits$')
		checked=$((checked + ${#files[@]} - 3))
		refused=$((refused + ${#files[@]} - 3 - fits))
	done
	printf '%-18s %8s %10s %8s %8s\n' "$workload" "$(grep -vc '^#' "${files[0]}")" "$different" $checked $refused
done
