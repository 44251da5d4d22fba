#!/bin/sh
# SPDX-License-Identifier: MIT
# The driver's labels in recordings of the software GPU: each ioctl, mapping, access and
# doorbell has the label and the call of its program point, and labels do not change the words.
# Usage: test-labels.sh BUILD SOURCE
set -u
build=$1
source=$2
bin=$build/bin
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
access=coalesced
[ -e "$build/lib/ktail-softgpu/libcuda.so.1" ] || exit 77

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# record NAME WORKLOAD ARGUMENT...: writes a trace to $work/NAME and its words to
# $work/NAME.events.
record() {
	to=$work/$1
	program=$bin/corpus/$2
	shift 2
	"$bin/ktail" record --softgpu --softgpu-driver "$version" --softgpu-transfer "$transfer" \
		--access="$access" --subbuf-size 262144 --num-subbuf 8 -o "$to" -- "$program" "$@" \
		>"$work/out" 2>&1 && grep -q ' 0 lost' "$work/out" || {
		fail "record $to: $(cat "$work/out")"
		return
	}
	"$bin/ktail" words --strict "$to" -o "$to-words" || fail "$to: no words"
	cat "$to-words"/*.events >"$to.events"
}

# The number of polls depends on timing: the timer is read when polling starts.
calm() {
	grep -v -e '^#' -e '^R:reg$' "$1" | uniq
}

# check NAME: checks its labels.
check() {
	"$bin/make-truth" --set version="$version" --set transfer="$transfer" \
		"$source/corpus/softgpu/truth/driver.points" -o "$work/truth.json" || fail "make-truth"
	"$bin/check-labels" "$work/truth.json" "$source/corpus/softgpu/truth/driver.points" \
		"$work/$1" "$work/$1.tsv" >"$work/checked" || {
		fail "$1: labels are not those of the program points"
		head -n 20 "$work/checked"
	}
	cat "$work/checked"
	say "$1"
}

# say NAME: reports whether each event has a label.
say() {
	"$bin/true-labels" "$work/$1" "$work/$1.tsv" >"$work/$1.true" || fail "$1: true-labels"
	grep -P '\t-(\t|$)' "$work/$1.true" && fail "$1: something has no label, or no call"
	# Some events are not letters, so there are at least as many events as letters.
	letters=$(grep -vc '^#' "$work/$1.events")
	[ "$(wc -l <"$work/$1.true")" -gt "$letters" ] || fail "$1: fewer truths than letters"
}

for row in '2 dma vadd' '2 dma copies --memory pinned' '1 dma graphs --nodes 10 --launches 3' \
	'2 mapped copies --max 65536' '2 window vadd' '1 chunk4 copies --max 65536'; do
	# shellcheck disable=SC2086 # a row is words
	set -- $row
	version=$1
	transfer=$2
	shift 2
	name=$(echo "$row" | tr -c 'a-z0-9\n' -)
	KTAIL_SOFTGPU_LABELS=$work/$name.tsv
	export KTAIL_SOFTGPU_LABELS
	record "$name" "$@"
	check "$name"
done

# Runs hide all accesses but the first: with exact accesses each event has a label.
access=exact
for row in '2 dma streams --threads 3 --rounds 1' '2 chunk4 copies --max 5000'; do
	# shellcheck disable=SC2086
	set -- $row
	version=$1
	transfer=$2
	shift 2
	KTAIL_SOFTGPU_LABELS=$work/exact.tsv
	export KTAIL_SOFTGPU_LABELS
	rm -rf "$work/exact" "$work/exact.tsv" "$work/exact-words"
	record exact "$@"
	say exact
done
access=coalesced

# The same recordings without labels.
version=2
transfer=dma
for name in vadd 'graphs --nodes 10 --launches 3'; do
	KTAIL_SOFTGPU_LABELS=$work/said.tsv
	export KTAIL_SOFTGPU_LABELS
	# shellcheck disable=SC2086
	record "said-${name%% *}" $name
	unset KTAIL_SOFTGPU_LABELS
	# shellcheck disable=SC2086
	record "unsaid-${name%% *}" $name
	calm "$work/said-${name%% *}.events" >"$work/said"
	calm "$work/unsaid-${name%% *}.events" >"$work/unsaid"
	diff "$work/said" "$work/unsaid" || fail "$name: other words where labels are said"
done
[ -s "$work/said.tsv" ] || fail "nothing was said"

# Verifies that the check detects an error: labels delayed by 50 us.
awk -F '\t' -v OFS='\t' '{ $1 = sprintf("%.0f", $1 + 50000); print }' \
	"$work/2-dma-vadd.tsv" >"$work/late.tsv"
"$bin/make-truth" "$source/corpus/softgpu/truth/driver.points" -o "$work/truth.json"
"$bin/check-labels" "$work/truth.json" "$source/corpus/softgpu/truth/driver.points" \
	"$work/2-dma-vadd" "$work/late.tsv" >"$work/checked"
[ $? -eq 1 ] || fail "labels that come late are taken for right"

# Invalid files of labels.
printf '1\t2\t3\tlabel\n' >"$work/bad.tsv"
"$bin/true-labels" "$work/2-dma-vadd" "$work/bad.tsv" 2>"$work/err"
[ $? -eq 3 ] && grep -q 'bad.tsv:1: not a line of labels' "$work/err" || fail "$(cat "$work/err")"
printf '1\t2\t3\tenter\tcuInit\n2\t2\t3\tleave\tcuFree\n' >"$work/bad.tsv"
"$bin/true-labels" "$work/2-dma-vadd" "$work/bad.tsv" 2>"$work/err"
[ $? -eq 3 ] && grep -q 'bad.tsv:2: the line is not possible here' "$work/err" ||
	fail "$(cat "$work/err")"
"$bin/true-labels" "$work/2-dma-vadd" "$work/none.tsv" 2>"$work/err"
[ $? -eq 2 ] || fail "no such file: another status than 2"
"$bin/true-labels" "$work/2-dma-vadd" 2>"$work/err"
[ $? -eq 2 ] || fail "one operand: another status than 2"
[ "$failures" -eq 0 ]
