#!/bin/bash
# SPDX-License-Identifier: MIT
# Records workloads on the software GPU with API calls: all their requests are observed to complete.
#   check-requests-softgpu.sh BIN
bin=$1
here=$(cd "${0%/*}" && pwd)
# shellcheck source=tests/cli.sh
. "$here/../cli.sh"
# shellcheck source=tests/record-softgpu.sh
. "$here/../record-softgpu.sh"

# ties NAME: prints the number of requests, and how many of them have each kind of evidence: read,
# later, order, acquire, run, never
ties() {
	"$bin/requests-of" "$1" | awk -F '\t' 'NR == 2 { print $3, $4, $5, $6, $7, $8, $9 }'
}

record streams -- "$bin/corpus/streams" --streams 4 --rounds 3
record blocking -- "$bin/corpus/streams" --streams 2 --rounds 2 --blocking
record copies -- "$bin/corpus/copies" --memory pageable --max 1048577
record graphs -- "$bin/corpus/graphs" --nodes 10 --launches 5
record exact --access=exact -- "$bin/corpus/vadd" --size 256

"$bin/requests-of" --calls streams blocking copies graphs exact > calls.tsv
awk -f "$here/attributed.awk" calls.tsv || fail "calls that are not tied"
for trace in streams blocking copies graphs exact; do
	read -r requests _ _ _ _ _ never <<< "$(ties $trace)"
	[ "$requests" -gt 0 ] && [ "$never" = 0 ] || fail "$trace: $requests requests, $never never seen"
done

# The annotation of transitions, the list and the report count the same requests.
"$bin/ktail" streams -o streams.json && "$bin/ktail" annotate streams.json streams \
	-o streams.a.json -o streams.txt --requests streams.tsv --pairs pairs.tsv ||
	fail "annotate streams"
made=$(($(wc -l < streams.tsv) - 1))
# sum MEMBER: adds up the values of a member; each member added to a transition has its own line
sum() { grep "^ *\"$1\": " streams.a.json | tr -dc '0-9\n' | awk '{ n += $1 } END { print n + 0 }'; }
[ "$made" = "$(ties streams | cut -d ' ' -f 1)" ] || fail "$made requests in the list"
[ "$(sum initiates)" = "$made" ] || fail "$(sum initiates) doorbells of transitions, not $made"
[ "$(sum notices)" = "$made" ] || fail "$(sum notices) notices of transitions, not $made"
grep -q "^Requests: $made, by $made doorbells" streams.txt || fail "no requests in the report"
grep -q '^Initiation and completion points' streams.txt || fail "no points in the report"
grep -q "^Set up: $(($(wc -l < pairs.tsv) - 1)) " streams.txt || fail "other pairs in the list"
# Two requests have the kernel's name: the upload of its code, and its launch.
"$bin/ktail" exact -o exact.json && "$bin/ktail" annotate exact.json exact --requests exact.tsv > report ||
	fail "annotate exact"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	$column["kernel"] != "" { printf "%s %s %s;", $column["what"], $column["launches"], $column["kernel"] }' \
	exact.tsv > kernels
[ "$(cat kernels)" = 'copy-inline 0 vector_add;launch 1 vector_add;' ] || fail "kernels: $(cat kernels)"
[ "$failures" = 0 ]
