#!/bin/sh
# SPDX-License-Identifier: MIT
# Finds, from recorded commands, the size from which copies to the device use the copy engine
# instead of inline data. Writes a table and a plot.
set -u

name=transfer-switch.sh
here=$(cd "$(dirname "$0")" && pwd) || exit 2
made="corpus/$name $*"
out=transfer-switch
memories='pinned pageable'
max=1048576
rounds=3
calls=100
. "$here/figures.sh"

usage() {
	cat <<'TEXT'
usage: corpus/transfer-switch.sh [options] [-- RECORD-OPTION...]

Copies blocks of 4 bytes to 1 MiB to the device and back, without and under `ktail record`, and
reports for each copy whether it is inline (data in the commands) or direct (by the copy
engine), the doorbells, ring entries, methods and bytes that it submits, and the duration of the
call. Where two powers of two differ, it searches between them for the largest size that is
copied inline. Writes OUT/transfer-switch.tsv and .svg, and prints the table.

options:
  --out DIR          folder of table and plot (default transfer-switch)
  --memory LIST      kinds of host memory, also registered; the first decides whether the script
                     succeeds (default 'pinned pageable')
  --max BYTES        the largest copy (default 1048576)
  --rounds N         recorded copies of each size; the median counts (default 3)
  --calls N          timed calls for each size, in a run without the recorder (default 100)
  --keep             keep the traces in OUT/traces
  --no-plot          write only the table; otherwise gnuplot plots it
  --ktail PROGRAM    ktail (default: $KTAIL, on PATH, in a build folder)
  --workloads DIR    the workloads (default: $KTAIL_WORKLOADS, corpus next to ktail)
  --timeout SECONDS  limit of one run (default 60)
  --help             print this help and exit

Options after -- are passed to `ktail record`, such as --softgpu or --doorbell=watchpoint, after
--access off --subbuf-size 262144 --num-subbuf 8.

Submissions are attributed to calls by marks: the workload (copies --marks) writes marks into
the command stream before each copy. A doorbell between two marks belongs to the call between
them; a pair of marks without a call shows that the marks themselves add nothing. The time of a
call is from call to return, without marks and recorder; a call that waits includes its wait.

exit status: 0 done; 1 a switch was not found, events were lost, output changed, words could
not be read; 2 usage or I/O; 77 no GPU here.
TEXT
}

while [ $# -gt 0 ]; do
	case $1 in
	--) shift; break ;;
	--memory) figures_value "$@"; memories=$2; shift 2; continue ;;
	--max) figures_value "$@"; figures_number "$1" "$2"; max=$2; shift 2; continue ;;
	esac
	figures_option "$@"
	[ "$taken" -gt 0 ] || figures_fail "unknown argument '$1'"
	shift "$taken"
done
[ -n "$memories" ] || figures_fail "--memory is empty"
[ "$max" -ge 4 ] && [ "$max" -le 4194304 ] ||
	figures_fail "--max must be from 4 to 4194304"
for memory in $memories; do
	case $memory in
	pinned | pageable | registered) ;;
	*) figures_fail "--memory: '$memory' is not pinned, pageable or registered" ;;
	esac
done
figures_begin "$@"

# copies NAME MEMORY SIZES ROUNDS: records ROUNDS copies of each size as trace NAME, and appends
# the lines of windows.awk, each prefixed by MEMORY, to $work/copies.
copies() {
	# Each round of a size has two marks, and two more end the run.
	n_sizes=$(echo "$3" | awk -F , '{ print NF }')
	figures_windows "$1" $((2 * n_sizes * $4 + 2)) copies --memory "$2" --sizes "$3" --repeat "$4" --marks
	awk -v memory="$2" '$2 != 0 { print memory "\t" $0 }' "$work/windows" >>"$work/copies"
}

# Prints one row for each memory, direction and size: the way (inline, direct or other) and the
# counts of the round with the median pushbuffer size, then how many of all rounds have this way and
# these counts. The fields of $work/copies are memory, "window", size, number, then the counts.
rows() {
	sort -t "$tab" -k1,1 -k3,3n -k8,8n "$work/copies" | awk -F '\t' -v OFS='\t' '
		function way() {
			if ($13 >= $3 && $15 == 0) return "inline"
			if ($15 >= $3) return "direct"
			return "other"
		}
		{
			direction = $4 % 2 ? "from-device" : "to-device"
			key = $1 OFS direction OFS $3
			if (!(key in n)) keys[++n_keys] = key
			row[key, ++n[key]] = way() OFS $5 OFS $6 OFS $7 OFS $8 OFS $12 OFS \
				$14 OFS ($10 + $11) OFS $16
		}
		END {
			for (i = 1; i <= n_keys; i++) {
				key = keys[i]
				middle = row[key, int((n[key] + 1) / 2)]
				alike = 0
				for (j = 1; j <= n[key]; j++) alike += row[key, j] == middle
				print key, middle, alike "/" n[key]
			}
		}'
}

# bounds MEMORY: prints the largest size copied inline and the next measured size, if all smaller
# sizes are copied inline and all larger ones directly. Otherwise prints nothing.
bounds() {
	rows | awk -F '\t' -v memory="$1" '
		$1 != memory || $2 != "to-device" { next }
		$4 == "inline" { if (!high) low = $3; else wrong = 1 }
		$4 == "direct" { if (!high) high = $3 }
		$4 != "inline" && $4 != "direct" { wrong = 1 }
		END { if (low && high && !wrong) print low, high }'
}

# find_switch MEMORY: divides the interval between the two sizes of bounds() into at most 16 parts,
# again and again, until these two sizes differ by one byte. Sets `measured` to the sizes to time.
find_switch() {
	memory=$1
	step=0
	while found=$(bounds "$memory") && [ -n "$found" ]; do
		low=${found% *}
		high=${found#* }
		[ $((high - low)) -gt 1 ] || break
		step=$((step + 1))
		sizes=$(awk -v low="$low" -v high="$high" 'BEGIN {
			parts = high - low < 16 ? high - low : 16
			for (i = 1; i < parts; i++)
				printf "%s%d", (i > 1 ? "," : ""), low + int((high - low) * i / parts)
		}')
		copies "$memory-search-$step" "$memory" "$sizes" 1
	done
	if [ -n "$found" ]; then
		copies "$memory-switch" "$memory" "$low,$high" "$rounds"
		echo "$memory $low $high" >>"$work/switches"
		measured=$powers,$low,$high
	else
		measured=$powers
	fi
}

# measure MEMORY SIZES: times the copies and appends a line for each direction and size to
# $work/times: memory, direction, size, median, 99th percentile (nanoseconds).
measure() {
	figures_bare copies --memory "$1" --sizes "$2" --repeat "$calls" --times
	sed -n "s/^copies: \([a-z-]*\), \([0-9]*\) bytes: .*median \([0-9]*\) ns, p99 \([0-9]*\) ns\$/$1$tab\1$tab\2$tab\3$tab\4/p" \
		"$work/bare.err" >>"$work/times"
}

tab=$(printf '\t')
powers=$(awk -v max="$max" 'BEGIN {
	for (n = 4; n <= max; n *= 2) printf "%s%d", (n > 4 ? "," : ""), n
}')
: >"$work/copies" >"$work/times" >"$work/switches"
for memory in $memories; do
	copies "$memory-sweep" "$memory" "$powers" "$rounds"
	find_switch "$memory"
	measure "$memory" "$measured"
done

# Writes the rows of the timed sizes to the table. These are the powers of two, and the two sizes at
# the switch.
columns='memory direction bytes way doorbells entries methods pushbuffer_bytes inline direct semaphores waits alike call_ns call_p99_ns'
rows >"$work/rows"
awk -F '\t' -v OFS='\t' -v order="$memories" '
	BEGIN { n = split(order, memory, " "); for (i = 1; i <= n; i++) place[memory[i]] = i }
	NR == FNR { time[$1, $2, $3] = $4 OFS $5; next }
	($1, $2, $3) in time { print place[$1], $0, time[$1, $2, $3] }' "$work/times" "$work/rows" |
	sort -t "$tab" -k1,1n -k3,3r -k4,4n | cut -f 2- >"$work/table"
figures_table "$out/transfer-switch.tsv" "$columns" "$work/table" \
	'memory direction bytes way methods pushbuffer_bytes call_ns'
for memory in $memories; do
	if found=$(grep "^$memory " "$work/switches"); then
		found=${found#* }
		echo "$memory to-device: inline up to ${found% *} bytes, direct from ${found#* } on"
	elif [ "$memory" = "${memories%% *}" ]; then
		figures_wrong "find the switch: copies from $memory memory do not change from inline to direct, once, between 4 and $max bytes"
	else
		echo "$memory to-device: no single change from inline to direct between 4 and $max bytes"
	fi
done

# The plot: a data file for each curve.
for memory in $memories; do
	for direction in to-device from-device; do
		awk -F '\t' -v memory="$memory" -v direction="$direction" \
			'$1 == memory && $2 == direction { print $3, $8, $14, $4 }' \
			"$work/table" >"$work/$memory-$direction"
	done
done
{
	figures_multiplot 2,1
	cat <<'PLOT'
set logscale xy
set format x '%.0f'
set xtics (4, 16, 64, 256, '1 Ki' 1024, '4 Ki' 4096, '16 Ki' 16384, '64 Ki' 65536, '256 Ki' 262144, '1 Mi' 1048576, '4 Mi' 4194304)
set grid
set key bmargin center horizontal
set autoscale xfix
set lmargin 12
set rmargin 5
set bmargin 7
set xlabel 'bytes of the copy'
PLOT
	first=${memories%% *}
	if found=$(grep "^$first " "$work/switches"); then
		found=${found#* }
		echo "set arrow from first ${found#* }, graph 0 to first ${found#* }, graph 1 nohead dashtype 2"
		echo "set label '${found% *} | ${found#* }' at first ${found#* }, graph 0.06 right offset -0.7,0"
	fi
	for panel in '2 pushbuffer bytes of one copy' '3 time of the call, ns (without the recorder)'; do
		echo "set title '${panel#* }'"
		line=plot
		for memory in $memories; do
			for direction in to-device from-device; do
				printf "%s '%s' using 1:%s with linespoints pointsize 0.6 title '%s %s'" \
					"$line" "$work/$memory-$direction" "${panel%% *}" "$memory" "$direction"
				line=,
			done
		done
		echo
	done
	echo 'unset multiplot'
} >"$work/plot"
figures_plot "$out/transfer-switch.svg" "$work/plot" 900
[ "$failures" -eq 0 ]
