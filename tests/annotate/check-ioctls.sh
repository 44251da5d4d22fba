#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail decode --ioctls: golden listing and counts of data/ioctls, filters, wrong usage. On
# every trace of the corpus, all ioctls are listed, and the counts add up to their number.
#   check-ioctls.sh KTAIL DUMP-EVENTS DATA TRACE...
ktail=$1 dump=$2 data=$3
shift 3
program=("$ktail" decode --ioctls)
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/golden.sh"
cd "$data" || exit 2

golden ioctls.txt ioctls
golden ioctls.json -f json ioctls
golden ioctls-stats.txt --stats ioctls
golden ioctls-stats.json -f json --stats ioctls
if command -v jq > /dev/null; then
	for file in ioctls.json ioctls-stats.json; do
		jq -e -s 'all(.[]; has("type"))' $file > "$out/got" || fail "$file is no JSON"
	done
fi

# Filters.
expect 0 --process young ioctls
[ "$(grep -c '^+' "$out/got")" = 1 ] || fail "--process by name"
grep -q '^ioctls: 23, 1 of them shown' "$out/got" || fail "totals of a part"
expect 0 --process 100 --stats ioctls
grep -q '^ *22 .* all, of 20 kinds$' "$out/got" || fail "--process by number"
time=$(sed -n 's/^+\([0-9.]*\)  app .* UVM_INITIALIZE .*/\1/p' ioctls.txt)
expect 0 --from "$time" ioctls
[ "$(grep -c '^+' "$out/got")" = 6 ] || fail "--from"
expect 0 --to "$time" ioctls
[ "$(grep -c '^+' "$out/got")" = 18 ] || fail "--to"
expect 2 --process nobody ioctls
says "find process nobody: not in the traces, which have app (100), young (200)"
expect 0 --from 1000 ioctls
[ "$(head -1 "$out/got")" = "trace ioctls" ] || fail "a trace of which nothing is shown"

# Missing events are reported.
expect 4 --strict ioctls
expect 0 -f json ioctls
grep -q '"lost_events":6,.*"whole":false' "$out/got" || fail "a gap is not said"

# Wrong usage, and traces without our events.
for wrong in --channel=1 --class=0xc8b5 --method=0x300 --brief --qmd --sass --bogus; do
	expect 2 "$wrong" ioctls
done
expect 2
expect 2 /no/such/trace
expect 3 "$out"
expect 3 submissions
[ ! -s "$out/got" ] || fail "prints of a trace without ioctls"
grep -q 'no event ioctl in it' "$out/said" || fail "does not say what is missing"

# All ioctls of a trace are listed, those of each process in their order, and the counts add up to
# their number.
for trace in ioctls "$@"; do
	"$dump" "$trace" | awk '$2 == "ioctl" { print $3, $4, $5 }' > "$out/events"
	[ -s "$out/events" ] || fail "$trace: no ioctls"
	expect 0 -f json "$trace"
	sed -n 's/^{"type":"ioctl",.*"pid":\([0-9]*\),"tid":\([0-9]*\),.*"seq":\([0-9]*\),.*/\1 \2 \3/p' \
		"$out/got" | cmp - "$out/events" || fail "$trace: other ioctls"
	n=$(wc -l < "$out/events")
	expect 0 "$trace"
	[ "$(grep -c '^+' "$out/got")" = "$n" ] || fail "$trace: lines"
	expect 0 --stats "$trace"
	sum=$(awk '/ all, of / { print n; exit } NF > 3 && $1 + 0 { n += $1 }' "$out/got")
	[ "$sum" = "$n" ] || fail "$trace: $sum counted of $n"
	grep -q "^ioctls: $n, $n of them shown, " "$out/got" || fail "$trace: totals"
	expect 0 --stats -f json "$trace"
	sum=$(sed -n 's/^{"type":"request",.*"count":\([0-9]*\),.*/\1/p' "$out/got" |
		awk '{ n += $1 } END { print n }')
	[ "$sum" = "$n" ] || fail "$trace: $sum counted of $n in JSON"
done
exit 0
