#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests words of live recordings.
#   check-session.sh EMIT PROVIDER KTAIL PLUGIN-FOLDER|none
here=$(dirname "$(readlink -f "$0")")
EMIT=$1 PROVIDER=$2 ktail=$3 plugins=$4
out=$(mktemp -d)
"$here/record.sh" "$EMIT" "$PROVIDER" "$out/scripted"
status=$?
[ $status = 0 ] || exit $status
"$here/check-words.sh" "$ktail" "$plugins" "$out/scripted" || exit 1
"$here/check-cuts.sh" "$ktail" "$out/scripted" 8192 || exit 1

# The words of two concurrent processes, without contexts, equal the word of the process alone.
. "$here/lttng-session.sh"
trap 'session_cleanup; rm -rf "$out"' EXIT
session_open "$out/both" --subbuf-size=64K --num-subbuf=8
emit < "$here/data/script-bulk.txt" &
first=$!
emit < "$here/data/script-bulk.txt" || exit 1
wait $first || exit 1
session_close
"$ktail" words --strict "$out/both" -o "$out/words" || exit 1
for i in 0 1; do
	sed 1d "$here/data/process/scripted_bulk.$i.events" > "$out/expected"
	sed '1d; /^#ktail version/d' "$out/words/both_bulk.$i.events" | cmp - "$out/expected" || exit 1
done
[ "$(ls "$out/words" | wc -l)" = 2 ] || exit 1

# If a session is started late, the word is truncated and gets its name from the context.
context=procname
session_open "$out/late" --subbuf-size=64K --num-subbuf=8
context=
printf 'seq 5\nbulk 8\nend exit\n' | emit || exit 1
session_close
"$ktail" words "$out/late" -o "$out/late-words" 2> /dev/null || exit 1
grep -qx '#ktail name late/emit-events.0' "$out/late-words"/*.events || exit 1
grep -qx '#ktail cut-begin' "$out/late-words"/*.events || exit 1
"$ktail" words --strict "$out/late" -o "$out/late-strict" 2> /dev/null
[ $? = 4 ] || exit 1

# The reader ignores events of other providers; but the statedump names a word without a beginning.
session_open "$out/mixed" --subbuf-size=64K --num-subbuf=8
lttng -q enable-event -u 'lttng_ust*' -c channel || exit 1
emit < "$here/data/script-bulk.txt" || exit 1
session_close
"$ktail" words --strict "$out/mixed" -o "$out/mixed-words" || exit 1
sed '1d; /^#ktail version/d' "$out/mixed-words/mixed_bulk.0.events" | cmp - "$out/expected" || exit 1
context=vpid
session_open "$out/dumped" --subbuf-size=64K --num-subbuf=8
context=
lttng -q enable-event -u 'lttng_ust_statedump:*' -c channel || exit 1
printf 'seq 5\nbulk 8\nend exit\n' | emit || exit 1
session_close
"$ktail" words "$out/dumped" -o "$out/dumped-words" 2> /dev/null || exit 1
grep -qx '#ktail name dumped/emit-events.0' "$out/dumped-words"/*.events || exit 1

# A rotated session has several folders, which are read as one trace.
session_open "$out/rotated" --subbuf-size=64K --num-subbuf=8
{
	printf 'begin turned\nbulk 8\n'
	sleep 0.5
	lttng -q rotate > /dev/null
	printf 'bulk 8\nend exit\n'
} | emit || exit 1
session_close
"$ktail" words --strict "$out/rotated" -o "$out/rotated-words" || exit 1
[ "$(ls "$out/rotated-words")" = rotated_turned.0.events ] || exit 1
[ "$(find "$out/rotated" -name metadata | wc -l)" -gt 1 ] || exit 1

# All readers see the same events, whether a submission was recorded as one event or as several.
printf '%s\n' 'begin parts' 'object alloc 1 5 0xc86f' 'submission 5 0xc86f 1 2 2 0 1 : 20012000 c8b5 80000040' \
	'submission 5 0xc86f 1 3' 'end exit' > "$out/one.txt"
printf '%s\n' 'begin parts' 'object alloc 1 5 0xc86f' 'ring 5 2 1 1' \
	'entry 5 0xc86f 0 0x1000 2 submitted 1000 800' 'words 5 0 0 20012000 c8b5' \
	'entry 5 0xc86f 1 0x2000 0 submitted 2000 0' 'entry 5 0xc86f 2 0x3000 1 submitted 3000 400' \
	'words 5 2 0 80000040' 'ring 5 3 1 1' 'end exit' > "$out/several.txt"
for form in one several; do
	session_open "$out/$form"
	emit < "$out/$form.txt" || exit 1
	session_close
	for alphabet in table1 submission methods; do
		"$ktail" words --strict --alphabet $alphabet "$out/$form" -o "$out/$form-$alphabet" || exit 1
		sed 1d "$out/$form-$alphabet"/*_parts.0.events > "$out/$form.$alphabet"
	done
	"$ktail" decode --strict -f json "$out/$form" | sed -E '1d; s/"(pid|tid|time)":[0-9]*//g' > "$out/$form.decoded" || exit 1
done
for kind in table1 submission methods decoded; do
	cmp "$out/one.$kind" "$out/several.$kind" || { diff "$out/one.$kind" "$out/several.$kind"; exit 1; }
done
[ "$(grep -vc '^#' "$out/one.methods")" -ge 2 ] || { cat "$out/one.methods"; exit 1; }

# Lengths beyond the dwords of a submission must not fail: the dwords that are there are read.
session_open "$out/odd"
printf '%s\n' 'begin odd' 'submission 5 0xc86f 1 2 4000000000 3 : 20012000 c8b5' 'end exit' | emit || exit 1
session_close
"$ktail" words --strict --alphabet methods "$out/odd" -o "$out/odd-words" || exit 1
"$ktail" decode "$out/odd" > /dev/null || exit 1

# After the event detail, accesses are recorded as runs: words with letters for single accesses are
# cut there.
printf '%s\n' 'begin detail' 'map sys 1 0' 'access R sys 1 0 4' 'access R sys 1 0 4' \
	'detail access' 'access R sys 1 0 4' 'detail other' 'doorbell' 'end exit' > "$out/detail.txt"
session_open "$out/detail"
emit < "$out/detail.txt" || exit 1
session_close
printf '%s\n' 'access op=R -> R' 'doorbell -> D' > "$out/single.alphabet"
"$ktail" words --strict "$out/detail" -o "$out/detail-runs" || exit 1
[ "$(ls "$out/detail-runs")" = detail_detail.0.events ] || { ls "$out/detail-runs"; exit 1; }
"$ktail" words --alphabet "$out/single.alphabet" "$out/detail" -o "$out/detail-single" || exit 1
[ "$(cat "$out/detail-single"/*.events | grep -v '^#ktail [nv]' | tr '\n' ' ')" = \
	'#ktail cut-end R R #ktail cut-begin R D ' ] || { cat "$out/detail-single"/*; exit 1; }

# Where the recorder has given up detail, words that have letters of it end, and a warning says so.
printf '%s\n' 'begin given-up' 'map sys 1 0' 'access R sys 1 0 4' 'doorbell' 'detail access off 1' 'doorbell' \
	'access W sys 2 0 4' 'doorbell' 'detail submissions off' 'doorbell' 'end exit' > "$out/given-up.txt"
session_open "$out/given-up"
emit < "$out/given-up.txt" || exit 1
session_close
printf '%s\n' 'doorbell -> D' > "$out/doorbells.alphabet"
printf '%s\n' 'gpfifo_entry -> G' 'doorbell -> D' > "$out/entries.alphabet"
check_given_up() { # ALPHABET EXPECTED OPTION...
	alphabet=$1 expected=$2
	shift 2
	"$ktail" words --alphabet "$alphabet" "$@" "$out/given-up" -o "$out/given-up-words" 2> "$out/said" || exit 1
	[ "$(cat "$out/given-up-words"/*.events | grep -v '^#ktail [nvw]' | tr '\n' ' ')" = "$expected" ] ||
		{ echo "$alphabet: not $expected"; cat "$out/given-up-words"/*; exit 1; }
	says_given_up
	rm -r "$out/given-up-words"
}
says_given_up() {
	grep -q 'warning: .* gave up accesses to mapping 1 (sys) of given-up (pid [0-9]*) after 0\.[0-9]* s: words' "$out/said" &&
		grep -q 'warning: .* gave up commands of given-up (pid [0-9]*) after .*launches and requests are missing$' "$out/said" &&
		[ "$(grep -c 'gave up' "$out/said")" = 2 ] || { cat "$out/said"; exit 1; }
}
"$ktail" stats "$out/given-up" > /dev/null 2> "$out/said"
says_given_up
check_given_up "$out/doorbells.alphabet" 'D D D D '
check_given_up "$out/entries.alphabet" '#ktail cut-end D D D '
check_given_up "$out/single.alphabet" '#ktail cut-end R D '
# Words without letters of what was given up are not cut.
printf '%s\n' 'access op=W space=fb -> W' 'doorbell -> D' > "$out/fb.alphabet"
check_given_up "$out/fb.alphabet" 'D D D D '
check_given_up rm '#ktail cut-end map:sys R:sys W:reg '
check_given_up rm 'map:sys W:reg W:reg W:reg W:reg ' --without R:sys --without W:sys
check_given_up rm '#ktail cut-end map:sys R:sys W:reg ' --without W:sys
# Nor are those of a gate, which leaves out accesses.
cp -r "$out/given-up" "$out/given-up-too"
"$ktail" learn "$out/given-up" "$out/given-up-too" -o "$out/gate.json" 2> "$out/said" &&
	"$ktail" check --strict "$out/gate.json" "$out/given-up" > "$out/said" 2>&1 &&
	[ "$(jq -c '[.words[] | [.events, .complete]]' "$out/gate.json")" = '[[5,true],[5,true]]' ] ||
	{ cat "$out/said" "$out/gate.json"; exit 1; }
# Comparisons of words that end there with whole words say so, as machines and as files, too.
grep -v '^detail' "$out/given-up.txt" > "$out/whole.txt"
session_open "$out/whole"
emit < "$out/whole.txt" || exit 1
session_close
"$ktail" --k 2 "$out/given-up" -o "$out/given-up.json" 2> /dev/null && "$ktail" --k 2 "$out/whole" -o "$out/whole.json" &&
	"$ktail" words "$out/given-up" -o "$out/given-up-words" 2> /dev/null || exit 1
says_words_end() { # PATTERN ARGUMENT...
	pattern=$1
	shift
	"$ktail" "$@" > "$out/printed" 2> "$out/said"
	grep -q "^ktail: warning: words of $pattern" "$out/said" || { echo "$*"; cat "$out/said"; exit 1; }
}
ends='end where the recorder gave up accesses (--overhead)'
for side in "$out/given-up" "$out/given-up.json" "$out/given-up-words"; do
	says_words_end "the old machine $ends: what came after that is only in the new machine" diff --k 2 "$side" "$out/whole"
	grep -q '^ *given up: *accesses *-> *none' "$out/printed" || { cat "$out/printed"; exit 1; }
	says_words_end "the new machine $ends: what came after that is only in the old machine" diff --k 2 "$out/whole" "$side"
	says_words_end ".*$ends\$" diff --k 2 "$side" "$out/given-up"
done
says_words_end ".*given-up.json $ends: what came after that is only in " score "$out/given-up.json" "$out/whole.json"
"$ktail" diff --k 2 --alphabet "$out/doorbells.alphabet" "$out/given-up" "$out/whole" 2> "$out/said" || exit 1
grep -q 'words of' "$out/said" && { cat "$out/said"; exit 1; }
rm -r "$out/given-up-words"
# Memory of a space that is mapped only later.
printf '%s\n' 'begin given-up' 'map sys 1 0' 'detail access off 1' 'detail access off' 'doorbell' 'map 0x9 2 0' \
	'doorbell' 'detail submissions off' 'end exit' > "$out/given-up.txt"
printf '%s\n' 'access space=0x9 -> C' 'doorbell -> D' > "$out/class.alphabet"
rm -r "$out/given-up"
session_open "$out/given-up"
emit < "$out/given-up.txt" || exit 1
session_close
check_given_up "$out/doorbells.alphabet" 'D D '
check_given_up "$out/class.alphabet" '#ktail cut-end D '
# Methods do not depend on accesses.
printf '%s\n' 'begin given-up' 'map sys 1 0' 'object alloc 1 5 0xc86f' \
	'submission 5 0xc86f 1 2 2 0 1 : 20012000 c8b5 80000040' 'detail access off 1' \
	'submission 5 0xc86f 1 2 2 0 1 : 20012000 c8b5 80000040' 'detail submissions off' 'doorbell' 'end exit' \
	> "$out/given-up.txt"
rm -r "$out/given-up"
session_open "$out/given-up"
emit < "$out/given-up.txt" || exit 1
session_close
one=$(grep -v '^#' "$out/one.methods" | tr '\n' ' ')
check_given_up methods "#ktail cut-end $one$one"

# A trace without gpu_stack events gives exit status 3.
session_open "$out/foreign"
lttng -q disable-event -u -a -c channel && lttng -q enable-event -u 'lttng_ust*' -c channel
: | emit
session_close
"$ktail" --k 2 "$out/foreign" -o "$out/foreign.json" 2> "$out/said"
[ $? = 3 ] || { cat "$out/said"; exit 1; }
grep -q '^ktail: read .*: no gpu_stack events$' "$out/said" || { cat "$out/said"; exit 1; }
[ ! -e "$out/foreign.json" ]
