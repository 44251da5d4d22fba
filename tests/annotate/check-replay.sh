#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail replay: golden files; counts, folded or not, against those of ktail stats; the call
# around each doorbell against ktail decode; parts of traces, damaged traces, wrong usage.
#   check-replay.sh KTAIL DATA CORPUS
ktail=$1 data=$2 corpus=$3
program=("$ktail" replay)
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/golden.sh"
cd "$data" || exit 2

# --- golden ---
for trace in figures gaps names odd; do
	golden replay-$trace.txt $trace
done
golden replay-accesses.txt --accesses --no-fold --call cuMemcpyHtoD_v2 figures
golden replay-two.txt figures gaps
golden replay-loops.txt --call cuDevicePrimaryCtxRelease_v2 "$corpus/calls/streams-polling"

# --- counts: a folded line counts as often as it says ---
# counted: prints "name count" for each kind of event in $out/got, "call NAME" for calls
counted() {
	awk 'BEGIN {
		kinds["^ioctl "] = "ioctls"
		kinds["^doorbell( |$)"] = "doorbells"
		kinds["^wait: "] = "waits"
		kinds["^map:"] = "maps"
		kinds["^unmap:"] = "unmaps"
		kinds["^R:"] = "reads"
		kinds["^W:"] = "writes"
	}
	!/^#/ {
		text = $0
		sub(/^[^|]*\| */, "", text)
		count = 1
		sub(/ [{]$/, "", text)
		if (match(text, / x [0-9]+$/)) {
			count = substr(text, RSTART + 3)
		}
		kind = ""
		for (pattern in kinds) {
			if (text ~ pattern) {
				kind = kinds[pattern]
			}
		}
		if (kind != "") {
			n[kind] += count
		} else if (match(text, /\(\) #/)) {
			n["calls"] += count
			n["call " substr(text, 1, RSTART - 1)] += count
		}
	}
	END {
		for (kind in n) {
			print kind, n[kind]
		}
	}' "$out/got" | LC_ALL=C sort
}

# counts_of_stats TRACE: the same, from ktail stats
counts_of_stats() {
	"$ktail" stats -f tsv "$1" 2> /dev/null | awk -F '\t' '
	NR == 1 {
		for (i = 1; i <= NF; i++) {
			column[$i] = i
		}
		next
	}
	$1 == "all" {
		split("calls ioctls doorbells waits maps unmaps reads writes", kinds, " ")
		for (i in kinds) {
			if ($column[kinds[i]] > 0) {
				print kinds[i], $column[kinds[i]]
			}
		}
		next
	}
	$column["calls"] > 0 { print "call " $1, $column["calls"] }' | LC_ALL=C sort
}

# calls_of_doorbells: prints "doorbell N NAME #M" for each doorbell in a call in $out/got
calls_of_doorbells() {
	awk '!/^#/ {
		match($0, /\[ *[0-9]+\] \| /)
		thread = substr($0, RSTART, RLENGTH)
		text = $0
		sub(/^[^|]*\| */, "", text)
		if (text ~ / [{]$/) {
			sub(/ [{]$/, "", text)
			sub(/\(\) /, " ", text)
			call[thread, ++depth[thread]] = text
		} else if (text ~ /^} /) {
			depth[thread]--
		} else if (text ~ /^doorbell [0-9]+ / && depth[thread] > 0) {
			split(text, words, " ")
			print "doorbell", words[2], call[thread, depth[thread]]
		}
	}' "$out/got" | sort
}

# unfolded FILE: prints the lines of each thread, as often as they were folded, without times and
# numbers of calls, submissions and mappings
unfolded() {
	sed -E 's/(#|doorbell |submission |mapping )[0-9]+(\.\.[0-9]+)?/\1/' "$1" | awk '
	# Prints the block that begins at line i of the thread t, which was folded `times` times with the
	# blocks around it, at a depth; returns the number of the line after it.
	function block(t, i, times, depth,    repeats, k, end) {
		end = i + 1
		repeats = count[t, i] / times
		for (k = 0; k < repeats; k++) {
			if (!(text[t, i] ~ /[{]$/)) {
				print t, depth, text[t, i]
				continue
			}
			if (text[t, i] != "loop {") {
				print t, depth, text[t, i]
			}
			end = i + 1
			while (end <= n[t] && !(text[t, end] ~ /^} /)) {
				end = block(t, end, count[t, i], depth + (text[t, i] != "loop {"))
			}
			if (text[t, end] != "} /* loop */") {
				print t, depth, text[t, end]
			}
			end++
		}
		return end
	}
	/^#/ { next }
	{
		bar = index($0, "|")
		t = substr($0, bar - 10, 9)
		line = substr($0, bar + 2)
		sub(/^ */, "", line)
		open = line ~ / [{]$/
		sub(/ [{]$/, "", line)
		sub(/, mean [0-9.]+ [mu]?s$/, "", line)
		i = ++n[t]
		count[t, i] = 1
		if (match(line, / x [0-9]+$/)) {
			count[t, i] = substr(line, RSTART + 3)
			line = substr(line, 1, RSTART - 1)
		}
		text[t, i] = line (open ? " {" : "")
	}
	END {
		for (t in n) {
			for (i = 1; i <= n[t];) {
				i = block(t, i, 1, 0)
			}
		}
	}' | LC_ALL=C sort -s -k 1,2
}

for trace in figures gaps names odd unrung lossy ioctls calls submissions "$corpus"/traces/vadd-4k \
	"$corpus"/calls/{graphs-50,micro-c2-s4-r10-mixed,streams-threads,vadd-4k-cupti}; do
	counts_of_stats "$trace" > "$out/all"
	grep -v '^reads \|^writes ' "$out/all" > "$out/without"
	# Accesses lie between other events, so most is folded without them.
	for options in '' --accesses '--accesses --no-fold'; do
		want=$out/all
		[ -n "$options" ] || want=$out/without
		# shellcheck disable=SC2086 # no argument, one or two
		"$ktail" replay $options "$trace" > "$out/got" 2> "$out/said" || fail "$options $trace"
		unfolded "$out/got" > "$out/unfolded"
		case $options in
		--accesses) mv "$out/unfolded" "$out/folded" ;;
		*fold) cmp "$out/folded" "$out/unfolded" || fail "$trace: other lines with --no-fold" ;;
		esac
		counted > "$out/counted"
		cmp "$want" "$out/counted" || {
			diff "$want" "$out/counted"
			fail "$trace $options: other counts than ktail stats"
		}
	done
	! grep -q ' x [0-9]' "$out/got" || fail "$trace: --no-fold folds"
	calls_of_doorbells > "$out/counted"
	"$ktail" decode --brief "$trace" 2> /dev/null |
		sed -nE 's/^(doorbell [0-9]+) .* in ([^ ]+ #[0-9]+)$/\1 \2/p' | sort > "$out/want"
	cmp "$out/want" "$out/counted" || fail "$trace: other calls of doorbells than ktail decode"
done
expect 0 "$corpus/calls/graphs-50"
[ "$(grep -c ' {$' "$out/got")" = "$(grep -c '| *} ' "$out/got")" ] || fail "a call is not closed"
grep -q 'cuLaunchKernel() #1..50 x 50$' "$out/got" || fail "50 launches are not folded"
grep -q 'doorbell 184 channel 0x5c000022: .*launch ×50' "$out/got" || fail "doorbell 184"

# --- what a terminal must not see ---
expect 0 --accesses names odd
! grep -q $'\e' "$out/got" || fail "an escape character"
! grep -q 3c2f7363 "$out/got" || fail "data"

# --- parts of traces ---
expect 0 --thread 102 figures
[ "$(grep -c '\[ *102\] |' "$out/got")" = 3 ] || fail "--thread"
[ "$(grep -c '|' "$out/got")" = 4 ] || fail "--thread: $(cat "$out/got")" # and "process begins"
expect 0 --call cuGraphLaunch "$corpus/calls/graphs-50"
[ "$(grep -c 'cuGraphLaunch() #' "$out/got")" = 2 ] || fail "--call: $(cat "$out/got")"
grep -q 'cuGraphLaunch() #2..5 x 4 {' "$out/got" || fail "--call: not folded"
expect 0 --channel 0x10 unrung
! grep -q 'channel 0x20' "$out/got" || fail "--channel"
[ "$(grep -c 'doorbell' "$out/got")" = 2 ] || fail "--channel: $(grep doorbell "$out/got")"
expect 0 --process deep unrung
! grep -q 'app, pid 100' "$out/got" || fail "--process: another process begins"
grep -q 'deep, pid 300' "$out/got" || fail "--process: it does not begin"
expect 2 --channel 0x30 unrung
says 'find channel'
expect 2 --thread 1 figures
says 'find thread 1'
expect 0 --from 0.00005 --to 0.00006 figures
[ "$(grep -v '^#' "$out/got" | awk '/process begins/ { next } { print $1; exit }')" = +0.000052598 ] || fail "--from"

# --- files, damaged traces, wrong usage ---
expect 0 figures -o "$out/x.txt"
cmp "$out/x.txt" replay-figures.txt || fail "-o"
expect 0 lossy
says 'missing'
expect 4 --strict lossy -o "$out/y.txt"
[ ! -e "$out/y.txt" ] || fail "--strict wrote a file"
expect 2
says 'no trace given'
expect 2 figures -o "$out/x.pdf"
says '.txt'
expect 2 no-such-trace
says 'no-such-trace'
expect 3 script.events
says 'it has only letters'
exit 0
