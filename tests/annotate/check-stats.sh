#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail stats: golden tables of data/figures in each form, figures counted by hand, options,
# wrong usage. On every trace, the rows add up to the total, which agrees with ktail decode and with
# the events.
#   check-stats.sh KTAIL DUMP-EVENTS DATA TRACE...
ktail=$1 dump=$2 data=$3
shift 3
program=("$ktail" stats)
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/golden.sh"
cd "$data" || exit 2

# cell ROW COLUMN: prints a cell of the tab-separated table $out/got
cell() {
	awk -F '\t' -v row="$1" -v column="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
		NR > 1 && $1 == row { print $at }' "$out/got"
}

# holds ROW COLUMN NUMBER
holds() {
	[ "$(cell "$1" "$2")" = "$3" ] || fail "$1: $2 is $(cell "$1" "$2"), not $3"
}

golden figures.txt figures
golden figures-wide.txt --wide figures
golden figures.json -f json figures
golden figures.csv -f csv figures
golden figures-outer.tsv --outer -f tsv figures
golden figures-each.txt --each figures
golden figures-each.json --each -f json figures
golden figures-each.csv --each -f csv figures
golden figures-channels.txt --wide --by channel figures submissions
golden figures-channels.json --by channel -f json figures
golden figures-contexts.tsv --by context -f tsv figures submissions
golden figures-classes.tsv --by class -f tsv figures submissions
golden figures-coverage.txt --coverage figures
golden figures-coverage.json --coverage -f json figures
golden figures-fit.txt --fit copy figures
golden figures-fit.json --fit copy --robust -f json figures
golden figures-fit.tsv --fit copy -f tsv figures
golden figures-none.txt submissions
# What the recorder gave up: script-figures.txt without accesses, then without commands.
golden given-up.txt ../given-up
says 'gave up accesses to mapping 1 (sys) of app (pid 100) after 0.000'
golden given-up.json -f json ../given-up
golden given-up-each.csv --each -f csv ../given-up
golden given-up-channels.txt --by channel ../given-up
golden given-up-fit.txt --fit copy ../given-up
golden given-up-fit.json --fit copy -f json ../given-up
golden given-up-versions.txt --old figures --new ../given-up
expect 0 -f csv ../given-up
mkdir "$out/old" "$out/new"
cp "$out/got" "$out/new/1.csv"
cp figures.csv "$out/old/1.csv"
expect 0 --old "$out/old" --new "$out/new"
grep -q '^Of 0 figures that vary' "$out/got" || fail "unknown figures are compared: $(cat "$out/got")"
expect 0 --to 0.000140 ../given-up
grep -q -- ' -$' "$out/got" && fail "figures are unknown before detail was given up"
golden figures-columns.txt --columns call,calls,share,mean,min,max --sort=-calls,share figures
golden figures-columns.csv --columns call,calls,share,mean,min,max --sort=-calls,share -f csv figures
golden figures-each-columns.txt --each --columns call_number,call,share,begin --sort call,-begin figures
golden figures-sorted.json --by channel --sort bytes,channel --columns bytes -f json figures submissions
if command -v jq > /dev/null; then
	for file in figures.json figures-each.json figures-channels.json figures-coverage.json figures-fit.json figures-sorted.json given-up.json given-up-fit.json; do
		jq -e '.format == "ktail-stats/1"' $file > /dev/null || fail "$file is no JSON"
	done
fi

# Counted by hand from data/script-figures.txt.
expect 0 -f tsv figures
holds cuInit ioctls 2
holds cuInit failed_ioctls 1
holds cuInit maps 2
holds cuMemcpyHtoD_v2 calls 3
holds cuMemcpyHtoD_v2 time 33000
holds cuMemcpyHtoD_v2 median 9000
holds cuMemcpyHtoD_v2 p99 21000
holds cuMemcpyHtoD_v2 mean 11000
holds cuMemcpyHtoD_v2 min 3000
holds cuMemcpyHtoD_v2 max 21000
holds cuMemcpyHtoD_v2 share 0.1744
holds cudaLaunchKernel share 0.0026
holds all share 1.0000
holds cuMemcpyHtoD_v2 doorbells 4
holds cuMemcpyHtoD_v2 bytes 232
holds cuMemcpyHtoD_v2 inline 1
holds cuMemcpyHtoD_v2 inline_to_64 1
holds cuMemcpyHtoD_v2 direct 1
holds cuMemcpyHtoD_v2 direct_bytes 16384
holds cuMemcpyHtoD_v2 staged 2
holds cuMemcpyHtoD_v2 staged_bytes 32768
holds cuMemcpyHtoD_v2 releases 4
holds cuMemcpyDtoH_v2 direct_more 1
# Events of one thread are not counted for a call of another thread.
holds cuMemcpyDtoH_v2 reads 0
holds cuStreamSynchronize reads 1
holds cuStreamSynchronize waits 1
# For a call within a call, `time` of the outer call includes the inner call's time, and `self` does
# not.
holds cudaLaunchKernel time 2500
holds cudaLaunchKernel self 500
holds cudaLaunchKernel ioctls 1
holds cudaLaunchKernel launches 0
holds cuLaunchKernel launches 1
holds cuLaunchKernel launch_writes 2
holds cuLaunchKernel inline 0
# A result "not ready" is not counted as an error.
holds cuStreamQuery errors 0
holds cuEventQuery errors 1
# A call that never returned has no time.
holds cuCtxSynchronize unreturned 1
holds cuCtxSynchronize median ""
holds cuCtxSynchronize mean ""
holds cuCtxSynchronize max ""
holds '(outside of calls)' doorbells 2
holds all calls 13
holds all time 189200
# A call that is open at the end of the trace belongs to its own thread. Without process_end, no event
# ends it.
cp -r figures "$out/endless" && chmod -R u+w "$out/endless"
find "$out/endless" -name metadata -exec sed -i s/gpu_stack:process_end/gpu_stack:process_xxx/ {} +
expect 0 -f tsv --thread 101 "$out/endless"
holds cuCtxSynchronize unreturned 1
rm -rf "$out/endless"
expect 0 --outer -f tsv figures
holds cudaLaunchKernel launches 1
holds cudaLaunchKernel self 2500
holds cuLaunchKernel calls ""
holds all calls 11
# With --each, calls have the numbers of ktail decode, and those that --call takes. A call that began
# before the selected part of the trace keeps its place; its time is unknown, as it was not counted.
expect 0 --each --call cuMemcpyHtoD_v2 -f tsv figures
[ "$(cut -f 1-3 "$out/got" | sed -n 2,4p | tr '\t\n' ' ,')" = \
	"cuMemcpyHtoD_v2 1 2,cuMemcpyHtoD_v2 2 3,cuMemcpyHtoD_v2 3 4," ] || fail "--each: numbers"
expect 0 --each --call 4 -f tsv figures
holds cuMemcpyHtoD_v2 call_number 3
holds cuMemcpyHtoD_v2 bytes 112
holds cuMemcpyHtoD_v2 time 21000
expect 0 --each --from 0.00004360 --to 0.0000585 -f tsv figures
[ "$(sed 1d "$out/got" | cut -f 1-3,11 | tr '\t\n' ' ,' | sed 's/(.*//')" = \
	"cuMemcpyHtoD_v2 3 4 ,cuMemcpyDtoH_v2 1 5 40000,cuStreamSynchronize 1 6 60000," ] || fail "--each --from"
expect 0 --each --outer -f tsv figures
holds cudaLaunchKernel launches 1
holds cuLaunchKernel launches ""
expect 2 --each --by class figures
expect 2 --each --channel 0x5c00000c figures
expect 2 --old figures --new figures --each
# The same trace given twice has all calls twice, those of each trace in order.
expect 0 --each -f tsv figures figures
[ "$(sed 1d "$out/got" | head -n -2 | cut -f 3 | tr '\n' ' ')" = "$(echo {1..13} {1..13} '')" ] ||
	fail "--each: calls of two traces"
# The same trace given twice doubles all counts.
expect 0 -f tsv figures figures
holds cuMemcpyHtoD_v2 calls 6
holds cuMemcpyHtoD_v2 median 9000
holds all bytes 1744

# sorted_as COLUMN SIGN: sorts the table on standard input by a column, slowly
sorted_as() {
	awk -F '\t' -v column="$1" '
		NR == 1 {
			for (i = 1; i <= NF; i++) if ($i == column) at = i
			is_text = column ~ /^(call|api|trace|process|class)$/
			is_handle = column ~ /^(client|channel|context)$/
			print "text", is_text || is_handle > "/dev/stderr"
			next
		}
		{ printf "%d\t%s\t%s\n", ($at == ""), (is_handle ? sprintf("%20s", $at) : $at), $0 }
	' 2> "$out/kind" > "$out/keys"
	order=rn
	[ "$(cat "$out/kind")" = "text 0" ] || order=
	[ "$2" != - ] || case $order in rn) order=n ;; *) order=r ;; esac
	LC_ALL=C sort -s -t "$(printf '\t')" -k 1,1n -k "2,2$order" "$out/keys" | cut -f 3-
}

# --sort NAME is a stable sort of the rows except the sum, with unknown values last; --columns chooses
# and orders columns, and what is left of a row stays.
for mode in --by=call --by=channel --by=class --each; do
	expect 0 "$mode" -f tsv figures submissions
	head -1 "$out/got" > "$out/head"
	sed 1d "$out/got" | head -n -1 > "$out/rows"
	tail -1 "$out/got" > "$out/sum"
	reversed=$(tr '\t' '\n' < "$out/head" | tac | paste -sd ,)
	awk -F '\t' -v OFS='\t' '{ for (i = NF; i > 0; i--) printf "%s%s", $i, (i > 1 ? OFS : "\n") }' \
		"$out/got" > "$out/reversed"
	expect 0 "$mode" --columns "$reversed" -f tsv figures submissions
	cmp "$out/got" "$out/reversed" || fail "$mode --columns $reversed"
	sign=
	for column in $(cat "$out/head"); do
		cat "$out/head" "$out/rows" | sorted_as "$column" "$sign" | cat "$out/head" - "$out/sum" > "$out/sorted"
		expect 0 "$mode" --sort "$sign$column" -f tsv figures submissions
		cmp "$out/got" "$out/sorted" || fail "$mode --sort $sign$column"
		[ -z "$sign" ] && sign=- || sign= # every other column is reversed
	done
done
# JSON has all members, in the order of the rows.
expect 0 --columns bytes --sort calls,call -f json figures
if command -v jq > /dev/null; then
	jq -r '.rows[] | .call' "$out/got" > "$out/names"
	[ "$(jq '.rows[0] | length' "$out/got")" = "$(jq '.rows[0] | length' figures.json)" ] || fail "--columns in JSON"
	expect 0 --columns call --sort calls,call -f tsv figures
	sed '1d;$d' "$out/got" | cmp - "$out/names" || fail "--sort in JSON"
fi
# A wrong name gets the nearest one, or the name of the column that text shows under this heading.
expect 2 --sort tme figures
says "--sort: the table has no column 'tme'; did you mean 'time'? The columns are: call, api, calls, "
expect 2 --columns 'call,total us' figures
says "--columns: the table has no column 'total us'; did you mean 'time'?"
expect 2 --by class --sort=-call figures
says "--sort: the table has no column 'call'. The columns are: class, doorbells, "
expect 2 --columns '' figures
says "--columns: the table has no column ''. The columns are: "
expect 2 --columns call, figures
expect 2 --each --sort median figures
for other in --coverage --fit=copy; do
	expect 2 "$other" --sort time figures
	says "--sort does not go with --coverage, --fit or --old"
	expect 2 "$other" --columns time figures
done
expect 2 --old figures --new figures --sort time

# Text says how times were recorded, if the traces do and if it has times of calls.
for trace; do
	case $trace in
	*/calls/vadd-4k) ;;
	*) continue ;;
	esac
	for options in --by=call --each --fit=launch "--columns call"; do
		# shellcheck disable=SC2086
		expect 0 $options "$trace"
		grep -qx "times include the recorder's work (access=coalesced doorbell=auto)" "$out/got" || fail "$options: recorder"
		[ "$options" = --fit=launch ] || expect 0 $options -f csv "$trace"
		! grep -q 'include the recorder' "$out/got" || [ "$options" = --fit=launch ] || fail "$options -f csv: recorder"
	done
	for options in --by=class --coverage; do
		expect 0 "$options" "$trace"
		! grep -q 'include the recorder' "$out/got" || fail "$options: recorder"
	done
done

# An H200's two contexts have 20 channels each.
for trace; do
	case $trace in
	*/micro-c2-s1-r10-compute) ;;
	*) continue ;;
	esac
	expect 0 --by context -f tsv "$trace"
	awk -F '\t' 'NR > 1 && NR < 4 && $7 != 20 { wrong = 1 } END { exit wrong || NR != 4 }' "$out/got" ||
		fail "$trace: channels of contexts"
	holds all channels 40
done

# On an H200, copies to the device are inline up to 24 KiB, or up to 64 KiB from pageable
# memory; larger copies, and all copies back, are direct if the host memory is pinned, else
# staged.
for trace; do
	case $trace in
	*/calls/copies-pinned) inline=8 direct=10 staged=0 back=18 ;;
	*/calls/copies-registered) inline=8 direct=10 staged=0 back=18 ;;
	*/calls/copies-pageable) inline=11 direct=0 staged=11 back=0 ;;
	*) continue ;;
	esac
	expect 0 -f tsv "$trace"
	holds cuMemcpyHtoD_v2 calls 18
	holds cuMemcpyHtoD_v2 inline "$inline"
	holds cuMemcpyHtoD_v2 direct "$direct"
	holds cuMemcpyHtoD_v2 staged "$staged"
	holds cuMemcpyDtoH_v2 direct "$back"
	[ "$(cell cuMemcpyHtoD_v2 inline_more)" = 0 ] || fail "$trace: large inline copies"
	holds '(outside of calls)' doorbells 0
done

# The ending of each file decides its form; if one file cannot be written, none is.
expect 0 figures -o "$out/a.json" -o "$out/a.csv" -o "$out/a.txt" -o "$out/a.tsv"
[ ! -s "$out/got" ] || fail "standard output beside -o"
for form in json csv txt; do
	cmp "$out/a.$form" figures.$form || fail "-o a.$form"
done
expect 0 figures -f csv -o "$out/other"
cmp "$out/other" figures.csv || fail "--format of a file without a known ending"
expect 2 figures -o "$out/new.json" -o "$out/no/such/folder.csv"
[ ! -e "$out/new.json" ] || fail "one of two outputs is there"

# Wrong usage, and traces without our events.
for wrong in --by=page --fit=nothing --format=html --bogus --robust; do
	expect 2 "$wrong" figures
done
expect 2 figures -o "$out/a.html"
expect 2 --coverage --fit launch figures
expect 2 --by class --outer figures
expect 2
expect 2 /no/such/trace
expect 3 "$out"
expect 3 --by channel ioctls
"$ktail" help stats | grep -q 'usage: ktail stats' || fail "ktail help stats"

# Missing events are reported.
expect 4 --strict lossy
expect 4 --strict gaps -o "$out/none.json"
[ ! -e "$out/none.json" ] || fail "-o with --strict writes"
expect 0 lossy
grep -q 'warning: .*1 event is missing' "$out/said" || fail "a gap is not said"
expect 0 --fit launch submissions
grep -q 'no call of that kind was recorded until its return' "$out/got" || fail "a fit of nothing"
expect 0 --coverage submissions
grep -q 'no entry points of the API were recorded' "$out/got" || fail "no coverage is not said"

# add_up NAME: checks that the rows of $out/got add up to the last row, except `time`,
# which counts calls within calls twice
add_up() {
	awk -F '\t' -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) key[i] = $i; n = NF; next }
		{ for (i = 1; i <= n; i++) { sum[i] += last[i]; last[i] = $i } }
		END {
			for (i = 1; i <= n; i++) {
				if (key[i] == "time" || last[i] !~ /^[0-9]+$/) continue
				checked++
				if (sum[i] != last[i]) {
					print name ": " key[i] ": " sum[i] ", not " last[i]
					wrong = 1
				}
			}
			exit wrong || checked < 5
		}' "$out/got" || fail "$1: rows do not add up"
}

# same WHAT NUMBER NUMBER
same() {
	[ "$2" = "$3" ] || fail "$trace: $1: $2, not $3"
}

# take_total: reads the last row of $out/got into total[COLUMN]
declare -A total
take_total() {
	total=()
	while read -r key value; do
		total[$key]=$value
	done < <(awk -F '\t' 'NR == 1 { split($0, key) } { last = $0 }
		END { n = split(last, value); for (i = 1; i <= n; i++) print key[i], value[i] }' "$out/got")
}

# number PATTERN: prints the number that PATTERN captures in the statistics of ktail
# decode; 0 if there is none
number() {
	n=$(sed -n "s/$1/\\1/p" "$out/decoded")
	echo "${n:-0}"
}

for trace in figures submissions lossy gaps odd "$@"; do
	"$dump" "$trace" | awk '{ n[$2]++ } END { for (name in n) print name, n[name] }' > "$out/events"
	"$ktail" decode --stats "$trace" > "$out/decoded" 2> "$out/said" || fail "$trace: decode"
	expect 0 --each -f tsv "$trace"
	add_up "$trace"
	cp "$out/got" "$out/each"
	expect 0 -f tsv "$trace"
	add_up "$trace"
	take_total
	# The rows of single calls add up to those of their functions. Each has as many submissions as
	# ktail decode lists in that call.
	awk -F '\t' -v name="$trace" '
		FNR == 1 { for (i = 1; i <= NF; i++) key[i] = $i; next }
		NR == FNR {
			calls[$1]++
			for (i = 4; i <= NF; i++) sum[$1, key[i]] += $i
			for (i = 4; i <= NF; i++) {
				if (key[i] == "self") all += $i
				if (key[i] != "time" || $i == "") continue
				if (!n[$1]++ || $i + 0 < least[$1]) least[$1] = $i
				if ($i + 0 > most[$1]) most[$1] = $i
			}
			next
		}
		FNR == 2 { all /= 2 } # the last row is the sum
		$1 == "all" { next }
		{
			if (substr($1, 1, 1) != "(" && $3 != calls[$1]) { print name ": " $1 ": calls"; wrong = 1 }
			for (i = 4; i <= NF; i++) {
				if (key[i] ~ /^(share|mean|min|max)$/) {
					expected = n[$1] == 0 || substr($1, 1, 1) == "(" ? "" : \
						key[i] == "mean" ? int(sum[$1, "time"] / n[$1] + 0.5) : \
						key[i] == "min" ? least[$1] : most[$1]
					if (key[i] == "share") {
						expected = all ? sprintf("%.4f", int(sum[$1, "self"] / all * 10000 + 0.5) / 10000) : ""
					}
					if ($i "" != expected "") {
						print name ": " $1 ": " key[i] ": " $i ", not " expected
						wrong = 1
					}
					continue
				}
				if (key[i] == "median" || key[i] == "p99" || $i == sum[$1, key[i]] + 0 || $i == "") continue
				print name ": " $1 ": " key[i] ": " sum[$1, key[i]] ", not " $i
				wrong = 1
			}
		}
		END { exit wrong }' "$out/each" "$out/got" || fail "$trace: --each"
	awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "submissions") at = i }
		NR > 1 && $2 && $at { print $1, $2, $at }' "$out/each" | sort > "$out/in-calls"
	if [ -s "$out/in-calls" ]; then
		"$ktail" decode --brief -f json "$trace" 2> "$out/said" |
			sed -n 's/^{"type":"submission".*"call":"\([^"]*\)","call_number":\([0-9]*\).*/\1 \2/p' |
			sort | uniq -c | awk '{ print $2, $3, $1 }' | sort | cmp - "$out/in-calls" ||
			fail "$trace: --each and the calls of ktail decode"
	fi
	# The totals agree with the number of events.
	for pair in ioctls=ioctl maps=map unmaps=unmap doorbells=doorbell waits=wait calls=api_enter; do
		same "${pair%=*}" "${total[${pair%=*}]}" \
			"$(awk -v e="${pair#*=}" '$1 == e { n = $2 } END { print n + 0 }' "$out/events")"
	done
	same accesses $((${total[reads]} + ${total[writes]})) \
		"$(awk '$1 == "access" { n = $2 } END { print n + 0 }' "$out/events")"
	# The totals agree with ktail decode.
	same entries "${total[entries]}" "$(number '^entries: \([0-9]*\),.*')"
	same bytes "${total[bytes]}" "$(awk '$1 == "all" && $2 == "channels" { print $5 }' "$out/decoded")"
	same methods "${total[methods]}" "$(number '^methods: \([0-9]*\),.*')"
	same copies $((${total[direct]} + ${total[staged]} + ${total[fills]})) \
		"$(number '^command copy-direct: \([0-9]*\),.*')"
	same inline $((${total[inline]} + ${total[launch_writes]})) \
		"$(number '^command copy-inline: \([0-9]*\),.*')"
	same launches "${total[launches]}" "$(number '^command launch: \([0-9]*\)$')"
	same acquires "${total[acquires]}" "$(number '^command semaphore-acquire: \([0-9]*\)$')"
	same copied "${total[copied_bytes]}" \
		$((${total[inline_bytes]} + ${total[direct_bytes]} + ${total[staged_bytes]}))
	for way in inline direct staged; do
		same "$way" "${total[$way]}" $((${total[${way}_to_64]} + ${total[${way}_to_4k]} + \
			${total[${way}_to_24k]} + ${total[${way}_to_1m]} + ${total[${way}_more]}))
	done
	# For the remaining checks a few traces are enough.
	case $trace in
	*/vadd-4k) ;;
	/*) continue ;;
	esac
	expect 0 --outer -f tsv "$trace"
	add_up "$trace"
	expect 0 --by channel -f tsv "$trace"
	add_up "$trace"
	take_total
	same entries "${total[entries]}" "$(number '^entries: \([0-9]*\),.*')"
	same copies "${total[copies]}" "$(number '^command copy-direct: \([0-9]*\),.*')"
	expect 0 --by context -f tsv "$trace"
	add_up "$trace"
	take_total
	same entries "${total[entries]}" "$(number '^entries: \([0-9]*\),.*')"
	expect 0 --by class -f tsv "$trace"
	add_up "$trace"
	take_total
	same methods "${total[methods]}" "$(number '^methods: \([0-9]*\),.*')"
done
exit 0
