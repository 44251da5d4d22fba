#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures what the instantiation and the launches of a CUDA graph submit, and how long they
# take, for graphs with different numbers of kernels. Writes a table and two plots.
set -u

name=graph-launches.sh
here=$(cd "$(dirname "$0")" && pwd) || exit 2
made="corpus/$name $*"
out=graph-launches
nodes=1,2,5,10,20,50,100,200,500,1000,2000
rounds=4
calls=200
table=''
upload=''
. "$here/figures.sh"

usage() {
	cat <<'TEXT'
usage: corpus/graph-launches.sh [options] [-- RECORD-OPTION...]

Creates graphs that are chains of kernels, instantiates and launches them, without and under
`ktail record`, and reports the submissions: doorbells, ring entries, methods, bytes, launches,
semaphores, inline data, and the duration of the calls. The instantiation, the first launch (at
which a driver may upload the graph) and repeated launches have a row each; with --upload, so has
the upload before the first launch. Writes
OUT/graph-launches.tsv, OUT/graph-launches.svg (commands, doorbells and time against the number of
kernels) and OUT/graph-times.svg (time against bytes of commands, with the line of least squares),
and prints the table and the lines.

options:
  --out DIR          folder of table and plot (default graph-launches)
  --nodes LIST       numbers of kernels, or ranges such as 1-200, ascending and comma-separated
                     (default 1,2,5,10,20,50,100,200,500,1000,2000)
  --upload           call cuGraphUpload before the first launch
  --draw FILE.tsv    draw the table of an earlier run, and measure nothing
  --rounds N         recorded launches of each graph, 2 or more; the median of those after the
                     first counts (default 4)
  --calls N          timed launches, 2 or more, in a run without the recorder (default 200)
  --keep             keep the traces in OUT/traces
  --no-plot          write only the table; otherwise gnuplot plots it
  --ktail PROGRAM    ktail (default: $KTAIL, on PATH, in a build folder)
  --workloads DIR    the workloads (default: $KTAIL_WORKLOADS, corpus next to ktail)
  --timeout SECONDS  limit of one run (default 60)
  --help             print this help and exit

Options after -- are passed to `ktail record`, such as --softgpu or --doorbell=watchpoint, after
--access off --subbuf-size 262144 --num-subbuf 8.

Submissions are attributed to calls by marks: the workload (graphs --marks) writes marks into
the command stream before the instantiation, the upload and each launch, and waits for each launch.
A doorbell between two marks belongs to the call between them; a pair of marks without a call
shows that the marks themselves add nothing. The time is that of cuGraphInstantiate or
cuGraphLaunch, from call to return, on an idle stream, without marks and recorder.

exit status: 0 done; 1 events were lost, output changed, words could not be read; 2 usage or
I/O; 77 no GPU here.
TEXT
}

while [ $# -gt 0 ]; do
	case $1 in
	--) shift; break ;;
	--nodes) figures_value "$@"; nodes=$2; shift 2; continue ;;
	--upload) upload=--upload; shift; continue ;;
	--draw) figures_value "$@"; table=$2; shift 2; continue ;;
	esac
	figures_option "$@"
	[ "$taken" -gt 0 ] || figures_fail "unknown argument '$1'"
	shift "$taken"
done

# expand LIST: prints the numbers of a list in which A-B stands for all from A to B, one a line.
expand() {
	echo "$1" | tr ',' '\n' | awk -F - '
		{ last = NF == 2 ? $2 : $1 }
		NF > 2 || !/^[1-9][0-9]*(-[1-9][0-9]*)?$/ || $1 + 0 <= before || last + 0 < $1 + 0 { exit 1 }
		{ for (i = $1 + 0; i <= last; i++) print i; before = last + 0 }'
}

numbers=$(expand "$nodes") && [ -n "$numbers" ] ||
	figures_fail "--nodes must be ascending numbers above 0 or ranges, comma-separated, not '$nodes'"
[ "$rounds" -ge 2 ] || figures_fail "--rounds must be 2 or more"
[ "$calls" -ge 2 ] || figures_fail "--calls must be 2 or more"
if [ -n "$table" ]; then
	figures_begin_drawing "$table"
else
	figures_begin "$@"
fi
tab=$(printf '\t')

# time_of PHASE: prints the median and the 99th percentile (nanoseconds) that the workload reported.
time_of() {
	sed -n "s/^graphs: $1: .*median \([0-9]*\) ns, p99 \([0-9]*\) ns\$/\1$tab\2/p" \
		"$work/bare.err"
}

# rows NODES: prints three rows: for the instantiation, for the first launch, and for the
# later launches (their median); with --upload, also one for the upload. The fields of
# $work/windows are "window", the number of nodes, the number of the launch (0: the
# instantiation; 1000000: the upload), then the counts.
rows() {
	sort -t "$tab" -k7,7n -k6,6n "$work/windows" | awk -F '\t' -v OFS='\t' \
		-v nodes="$1" -v instantiation="$(time_of instantiation)" \
		-v uploading="$(time_of upload)" -v first="$(time_of 'first launch')" -v repeated="$(time_of 'repeated launches')" '
		function counts() {
			return $4 OFS $5 OFS $6 OFS $7 OFS $8 OFS ($9 + $10) OFS $11 OFS $12 OFS \
				$13 OFS $14 OFS $15
		}
		$2 != nodes { next }
		$3 == 0 { at_instantiation = counts() }
		$3 == 1000000 { at_upload = counts(); next }
		$3 == 1 { at_first = counts() }
		$3 > 1 { row[++n] = counts() }
		END {
			middle = row[int((n + 1) / 2)]
			for (i = 1; i <= n; i++) alike += row[i] == middle
			print nodes, "instantiate", at_instantiation, "1/1", instantiation
			if (at_upload) print nodes, "upload", at_upload, "1/1", uploading
			print nodes, "first", at_first, "1/1", first
			print nodes, "repeated", middle, alike "/" n, repeated
		}'
}

measure() {
	: >"$work/table"
	for n in $numbers; do
		# The workload writes a mark before the instantiation, the upload and each launch,
		# and two at the end.
		# shellcheck disable=SC2086
		figures_windows "graphs-$n" $((1 + ${#upload} / 8 + rounds + 2)) graphs --nodes "$n" \
			--launches "$rounds" --size 32 --marks $upload
		# shellcheck disable=SC2086
		figures_bare graphs --nodes "$n" --launches "$calls" --size 32 --times $upload
		rows "$n" >>"$work/table"
		awk -F '\t' -v n="$n" '$1 == n && $2 == "repeated" && $3 > 0 { found = 1 }
			END { exit !found }' "$work/table" ||
			figures_wrong "launch a graph of $n kernels: no doorbell rang for a launch"
	done
	columns='nodes phase doorbells entries methods pushbuffer_bytes launches semaphores inline inline_bytes direct direct_bytes waits alike call_ns call_p99_ns'
	figures_table "$out/graph-launches.tsv" "$columns" "$work/table" \
		'nodes phase doorbells methods pushbuffer_bytes launches call_ns'
}

if [ -z "$table" ]; then
	measure
else
	grep -v '^#' "$table" | tail -n +2 >"$work/table"
	awk -F '\t' 'NF != 16 || $1 !~ /^[0-9]+$/ { bad = 1; exit } END { exit bad || NR == 0 }' \
		"$work/table" || figures_fail "read $table: not a table of graph-launches.sh"
fi

# fit MOST: prints the line of least squares through the repeated launches of at most MOST kernels:
# nanoseconds at 0 bytes, nanoseconds a byte, and the number of kernels of the largest graph; nothing
# if all have the same number of bytes.
fit() {
	awk -F '\t' -v most="$1" '
		$2 == "repeated" && $1 <= most {
			n++; x += $6; y += $15; xx += $6 * $6; xy += $6 * $15
			last = $1
		}
		END {
			d = n * xx - x * x
			if (d > 0) {
				slope = (n * xy - x * y) / d
				print (y - slope * x) / n, slope, last
			}
		}' "$work/table"
}

# say_fit MOST: prints the line in words, as Yan, Karlin and Grant do.
say_fit() {
	fit "$1" | awk '{
		printf "repeated launches of 1 to %d kernels: ", $3
		if ($2 > 0)
			printf "%.2f us + %.3f ns a byte: %.1f MiB/s\n", $1 / 1000, $2, 1e9 / $2 / 1048576
		else
			print "the time does not grow with the bytes"
	}'
}
say_fit 200
! awk -F '\t' '$1 > 200 { found = 1 } END { exit !found }' "$work/table" || say_fit 1000000

# Writes the data of the plot, one file for each phase.
for phase in instantiate first repeated; do
	awk -F '\t' -v phase="$phase" '$2 == phase { print $1, $6, $5, $3, $4, $15, $16 }' \
		"$work/table" >"$work/$phase"
done
{ figures_multiplot 3,1; cat; } >"$work/plot" <<PLOT
set logscale xy
set format x '%.0f'
set xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
set grid
set key bmargin center horizontal
set xlabel 'kernels in the graph'
set style data linespoints
set pointsize 0.6
set autoscale xfix
set lmargin 12
set rmargin 5
set bmargin 7
set title 'commands of one launch'
plot '$work/repeated' using 1:2 title 'pushbuffer bytes', \\
	'$work/repeated' using 1:3 title 'methods', \\
	'$work/first' using 1:2 title 'pushbuffer bytes, first launch' dashtype 2, \\
	'$work/first' using 1:3 title 'methods, first launch' dashtype 2
set title 'doorbells of one launch'
unset logscale y
set yrange [0:5<*]
set format y '%.0f'
plot '$work/repeated' using 1:4 title 'doorbells', \\
	'$work/repeated' using 1:5 title 'ring entries', \\
	'$work/first' using 1:4 title 'doorbells, first launch' dashtype 2, \\
	'$work/first' using 1:5 title 'ring entries, first launch' dashtype 2
set title 'time of one launch, ns (without the recorder)'
set logscale y
set autoscale y
plot '$work/repeated' using 1:6 title 'median', \\
	'$work/repeated' using 1:7 title '99th percentile', \\
	'$work/first' using 1:6 title 'first launch' dashtype 2
unset multiplot
PLOT
figures_plot "$out/graph-launches.svg" "$work/plot" 1200

# line MOST: prints the line of least squares as a gnuplot function of x, in us; 1/0: none.
line() {
	fit "$1" | awk '{ printf "%.9g + %.9g * x", $1 / 1000, $2 / 1000; found = 1 }
		END { if (!found) print "1/0" }'
}
awk '$1 <= 200' "$work/repeated" >"$work/small"
{ figures_multiplot 3,1; cat; } >"$work/plot" <<PLOT
set grid
set key bmargin center horizontal
set lmargin 12
set rmargin 12
set bmargin 7
set pointsize 0.6
set format x '%.0f'
set yrange [0:*]
set xlabel 'bytes of commands of one launch'
set ylabel 'us'
set title 'time against bytes, repeated launches of at most 200 kernels'
plot '$work/small' using 2:(\$6 / 1000) with points title 'median', \\
	$(line 200) title 'least squares'
set title 'time against bytes, all repeated launches'
plot '$work/repeated' using 2:(\$6 / 1000) with points title 'median', \\
	$(line 1000000) title 'least squares'
set title 'time and bytes against kernels, repeated launches'
set xlabel 'kernels in the graph'
set y2label 'bytes'
set y2range [0:*]
set y2tics
set ytics nomirror
plot '$work/repeated' using 1:(\$6 / 1000) with linespoints title 'median time, us', \\
	'$work/repeated' using 1:2 axes x1y2 with linespoints title 'pushbuffer bytes'
unset multiplot
PLOT
figures_plot "$out/graph-times.svg" "$work/plot" 1200
[ "$failures" -eq 0 ]
