#!/bin/bash
# SPDX-License-Identifier: MIT
# Records on the software GPU, and compares times of the device with what its kernels waited and
# with each other. What a program has waited for has a time.
#   check-device-times.sh BIN
bin=$1
here=$(cd "${0%/*}" && pwd)
# shellcheck source=tests/cli.sh
. "$here/../cli.sh"
# shellcheck source=tests/record-softgpu.sh
. "$here/../record-softgpu.sh"

# ends TRACE OPTION...: prints the channel and the time of each submission, "-" if it is unknown
ends() {
	"$bin/ktail" decode --times -f json "$@" | grep '"type":"submission"' |
		sed 's/.*"channel":"\([^"]*\)".*/\1 &/; s/"device_end":\([0-9]*\).*/\n\1/; s/ .*\n/ /; s/ {.*/ -/'
}

# A kernel waits for 50,000 ticks of a clock of 1,755 MHz, 28 us. Events are recorded before and after it, so the times
# of the device are at least as far from each other.
for access in coalesced exact; do
	record "events-$access" --access=$access -- "$bin/corpus/microbench" --requests 20 \
		--length 50000 --events
	[ "$(grep -c '^request .* us$' record.err)" = 20 ] || fail "$access: events of 20 requests"
	ends "events-$access" --call cuEventRecord > events
	awk 'NR % 2 { before = $2; next }
		$2 == "-" || before == "-" || $2 - before < 28000 { print "pair " NR / 2 ": " before, $2; wrong = 1 }
		END { exit wrong || NR != 40 }' events || fail "$access: times around kernels"
done

# Times increase along a channel; the last submission, for which the program has waited, has one.
record vadd -- "$bin/corpus/vadd"
ends vadd > all
awk '$2 != "-" { if ($1 in last && $2 <= last[$1]) { print; wrong = 1 } last[$1] = $2 }
	END { exit wrong || $2 == "-" }' all || fail "times along a channel"

# The listing, the list of requests and the JSON have the same times.
"$bin/ktail" decode --brief --times vadd | awk '/^  device: done at / { sub("[+]", "", $4); printf "%.0f\n", $4 * 1e9 }' > text
"$bin/ktail" vadd -o vadd.json && "$bin/ktail" annotate vadd.json vadd -o vadd.a.json --requests vadd.tsv ||
	fail "annotate"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "device_end") at = i; next } $at != "" { print $at }' \
	vadd.tsv > requests
awk '$2 != "-" { print $2 }' all > json
[ -s json ] && cmp json text && cmp json requests || fail "times in text and in the list of requests"

# The times by call, channel and context add up to those of the submissions; none is lost.
record contexts -- "$bin/corpus/microbench" --contexts 2 --streams 4 --requests 5 --kind mixed --length 8192 --wait
"$bin/ktail" decode --times --brief -f json contexts | grep '"type":"submission"' |
	awk '{ n++ } match($0, /"device_time":[0-9]+/) { timed++; sum += substr($0, RSTART + 14, RLENGTH - 14) }
		END { print sum, timed, n - timed }' > submissions
# totals BY: prints the last three columns of the rows' sum, which are also those of the total.
totals() {
	"$bin/ktail" stats --by "$1" -f tsv contexts | awk -F '\t' -v by="$1" '
		NR == 1 { if ($(NF - 2) != "device_time") exit 1; next }
		{ for (i = 0; i < 3; i++) { sum[i] += last[i]; last[i] = $(NF - 2 + i) } rows++ }
		END {
			for (i = 0; i < 3; i++) if (sum[i] != last[i]) exit 1
			if (by == "context" && rows != 3) exit 1
			print last[0], last[1], last[2]
		}'
}
for by in call channel context; do
	totals $by > got && cmp got submissions || { cat got submissions; fail "times by $by"; }
done
"$bin/ktail" report -f json contexts | sed 's/.*"device":\[\([-0-9,]*\)\].*/\1/' | tr ',' '\n' |
	awk '{ n++ } $1 >= 0 { timed++; sum += $1 } END { print sum, timed, n - timed }' > got
cmp got submissions || { cat got submissions; fail "times in a report"; }
awk '{ exit !($2 > 10 && $1 > 0) }' submissions || { cat submissions; fail "few times"; }
# All submissions of a call are counted, with and without a time.
"$bin/ktail" stats --call cuEventRecord -f tsv events-exact | awk -F '\t' '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$1 == "cuEventRecord" { n = $at["timed"] + $at["untimed"]; exit !(n == $at["submissions"] && n == 40) }' ||
	fail "submissions of a call"

# Without accesses there are no times; without --times they are not shown.
record off --access=off -- "$bin/corpus/vadd"
"$bin/ktail" decode --times off | grep '  device: ' && fail "times without accesses"
"$bin/ktail" decode vadd | grep '  device: ' && fail "times that were not asked for"
"$bin/ktail" decode --times --stats vadd > said 2>&1
[ $? = 2 ] && grep -q 'cannot be combined' said || fail "--times --stats"
"$bin/ktail" stats --wide off | grep -E 'device us|timed' && fail "times of calls without accesses"
"$bin/ktail" stats --by context -f json off | tr -d ' \n' | grep -q '"device_time":null,"timed":null,"untimed":null' ||
	fail "JSON without times"
[ "$failures" = 0 ]
