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

# Without accesses there are no times; without --times they are not shown.
record off --access=off -- "$bin/corpus/vadd"
"$bin/ktail" decode --times off | grep '  device: ' && fail "times without accesses"
"$bin/ktail" decode vadd | grep '  device: ' && fail "times that were not asked for"
"$bin/ktail" decode --times --stats vadd > said 2>&1
[ $? = 2 ] && grep -q 'cannot be combined' said || fail "--times --stats"
[ "$failures" = 0 ]
