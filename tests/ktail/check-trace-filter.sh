#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests --process, --thread, --channel, --from, --to, --call and --phase. The words of all parts
# of a trace, joined, are the words of the trace. A word that a filter cuts has an unknown end
# there. All programs that read traces select the same part.
#   check-trace-filter.sh KTAIL TRACE TRACE-OF-MANY-PROCESSES TRACE-WITH-COMMANDS TRACE-WITH-CALLS
ktail=$1 trace=$2 many=$3 commands=$4 calls=$5
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

letters() { cat "$@" | grep -v '^#'; }

# part ARGUMENT...: adds the words that the arguments select, which may be none, to the folder some
part() {
	rm -rf part
	"$ktail" words "$@" -o part 2> part-stderr
	case $? in
	0) mkdir -p some && mv -n part/* some && rmdir part ;;
	3) ;;
	*) fail "ktail words $*: $(cat part-stderr)" ;;
	esac
}

# --- processes and threads, chosen one by one, make up all words ---
for case in "$many" "$many --word thread" "$trace --word thread" "$many --alphabet rm"; do
	rm -rf all some
	# shellcheck disable=SC2086
	runs 0 '' words $case -o all
	# shellcheck disable=SC2086
	runs 2 'not in the traces, which have ' words $case --process nosuch -o none
	[ ! -e none ] || fail "$case: words of no process"
	# shellcheck disable=SC2046
	for name in $(sed 's/.* which have //' stderr | tr -d ' ' | tr ',' '\n' | sed 's/(.*//' | sort -u); do
		# shellcheck disable=SC2086
		part $case --process "$name"
	done
	diff -r all some || fail "$case: processes one by one"
done
runs 0 '' words "$many" --process app,200 -o several
[ "$(ls several | tr '\n' ' ')" = \
	"scripted_app.0.events scripted_app.1.events scripted_lossy.0.0.events scripted_lossy.0.1.events scripted_lossy.0.2.events " ] ||
	fail "several: $(ls several)"
runs 2 'find process nosuch: not in the traces, which have ' \
	words "$many" --process app,nosuch -o none

rm -rf all some
runs 0 '' words "$trace" --word thread -o all
runs 2 'find thread 1: not in the traces, which have ' words "$trace" --thread 1 -o none
for tid in $(sed 's/.* which have //' stderr | tr ',' ' '); do
	part "$trace" --word thread --thread "$tid"
	rm -rf one
	runs 0 '' words "$trace" --thread "$tid" -o one
	letters one/* > of-process
	grep -l . all/* | while read -r word; do
		letters "$word" | cmp -s - of-process && echo "$word"
	done | grep -q . || fail "--thread $tid is not the word of a thread"
done
diff -r all some || fail "threads one by one"

# --- channels ---
rm -rf all some
runs 0 '' words "$commands" --alphabet submission --word channel -o all
runs 2 'find channel 0x1: not in the traces, which have ' \
	words "$commands" --alphabet submission --channel 0x1 -o none
for channel in $(sed 's/.* which have //' stderr | tr ',' ' '); do
	part "$commands" --alphabet submission --word channel --channel "$channel"
done
diff -r all some || fail "channels one by one"
runs 2 '^ktail: --channel needs the alphabet submission or methods' \
	words "$trace" --channel 0x1 -o none

# --- stretches of time, joined, are the whole word; their ends at a cut are unknown ---
for case in "$trace" "$commands --alphabet submission" "$many --process app"; do
	rm -rf all
	# shellcheck disable=SC2086
	runs 0 '' words $case -o all
	for cut in 0.01 0.05 0.1; do
		rm -rf before after
		# shellcheck disable=SC2086
		{
			"$ktail" words $case --to "$cut" -o before 2> /dev/null
			"$ktail" words $case --from "${cut}000001" -o after 2> /dev/null
		}
		mkdir -p before after
		for word in all/*; do
			word=${word#all/}
			part_a=before/$word part_b=after/$word
			{
				[ ! -e "$part_a" ] || letters "$part_a"
				[ ! -e "$part_b" ] || letters "$part_b"
			} | cmp - <(letters "all/$word") || fail "$case: $word, cut at $cut"
			if [ -e "$part_a" ] && [ -e "$part_b" ]; then
				[ "$(grep '^#ktail cut' "$part_a")" = '#ktail cut-end' ] ||
					fail "$case: $word: the end at $cut"
				[ "$(grep '^#ktail cut' "$part_b")" = '#ktail cut-begin' ] ||
					fail "$case: $word: the beginning at $cut"
			fi
		done
	done
	rm -rf before
	# shellcheck disable=SC2086
	runs 0 '' words $case --from 0 --to 999999999 -o before
	diff -r all before || fail "$case: all of it"
done
runs 0 - words "$trace" --to 0.05 --strict -o strict
runs 3 'no words: no event gives a letter' words "$trace" --from 1000 -o none
runs 2 '^ktail: --to is before --from' words "$trace" --from 2 --to 1 -o none
runs 2 '^ktail: --from must be seconds since the beginning of the trace, such as 1.25' \
	words "$trace" --from soon -o none
runs 2 "^ktail: --thread must be the number of a thread, such as 1234, not 'x'" \
	words "$trace" --thread 1,x -o none

# --- all programs that make words select the same part ---
range='--from 0.02 --to 0.12'
# shellcheck disable=SC2086
{
	rm -rf some
	runs 0 '' words "$trace" $range -o some
	runs 0 '' --k 5 "$trace" $range -o part.json
	runs 0 '' --k 5 some/* -o words.json
	sed -n '/"words": \[/,$p' part.json > a
	sed -n '/"words": \[/,$p' words.json | cmp - a || fail "the machine of a part"
	runs 0 '' sweep "$trace" $range -o part.tsv
	runs 0 '' sweep some/* -o words.tsv
	same part.tsv words.tsv
	runs 0 '' check part.json "$trace" $range
	grep -q 'it has an unknown beginning' stderr stdout && fail "check"
	runs 0 '' check part.json "$trace" $range --process vadd
	runs 2 'find process nosuch: not in the traces, which have ' \
		check part.json "$trace" --process nosuch
	runs 0 '' score --k 5 "$trace" part.json $range
	runs 2 '^ktail: --from applies to traces, but two machines are given' \
		score part.json part.json $range
}
runs 2 ': --process needs the folder of a trace' words some/* --process vadd -o none
runs 2 ': --process needs the folder of a trace' check part.json some/* --process vadd
runs 2 'read standard input: --process needs' words - --process vadd -o none < /dev/null

# --- a cut by a filter does not count as a loss; a word that is truncated in the trace does ---
for range in '' '--from 0' '--from 0.000001 --to 10'; do
	# shellcheck disable=SC2086
	{
		runs 4 ': 1 of 2 words is truncated$' \
			words "$many" --process app $range --strict -o none
		runs 0 '^ktail: warning: 1 of 2 words is truncated at' \
			--k 3 "$many" --process app $range -o app.json
		runs 4 ': 1 of 2 words is truncated$' \
			check --strict app.json "$many" --process app $range
		runs 4 '1 word is cut at its beginning or end$' \
			annotate --strict app.json "$many" --process app $range
	}
done
runs 3 'no words: no event gives a letter$' annotate app.json "$many" --from 1000

# --- --call: each call is a word of its thread, with unknown ends ---
runs 0 - words "$calls" --call cuGraphLaunch --strict -o launches
[ "$(ls launches | wc -l)" = 5 ] || fail "--call: $(ls launches)"
for word in launches/*; do
	[ "$(grep '^#ktail cut' "$word" | tr '\n' ' ')" = '#ktail cut-begin #ktail cut-end ' ] ||
		fail "--call: the ends of $word"
	[ "$(grep -c '^W:reg$' "$word")" = 1 ] || fail "--call: $word has not one doorbell"
done
runs 0 '' words "$calls" --alphabet api --call cuGraphLaunch,1 -o names
[ "$(letters names/* | sort | uniq -c | tr -s ' \n' ' ')" = ' 5 cuGraphLaunch 1 cuInit ' ] ||
	fail "--call: $(letters names/*)"
# Two functions selected together give the letters that each gives alone, in words of threads.
rm -rf a b
threads=${calls%/*}/streams-threads
runs 0 '' words "$threads" --call cuLaunchKernel,cuStreamSynchronize -o both
runs 0 '' words "$threads" --call cuLaunchKernel -o a
runs 0 '' words "$threads" --call cuStreamSynchronize -o b
[ "$(letters both/* | sort | uniq -c)" = "$(letters a/* b/* | sort | uniq -c)" ] || fail "two calls"
[ "$(ls both | sed 's/\.[0-9]*\.events//' | sort -u | wc -l)" -gt 1 ] || fail "no words of threads"
runs 0 '' --k 4 "$threads" --call cuLaunchKernel -o launch.json
runs 0 '' check launch.json "$threads" --call cuLaunchKernel
[ "$(grep -c 'fits (truncated at both ends)$' stdout)" = "$(ls a | wc -l)" ] || fail "check --call"
# --from and --to cut calls, too.
rm -rf a b
runs 0 '' words "$threads" --call cuLaunchKernel --to 0.25 -o a
runs 0 '' words "$threads" --call cuLaunchKernel --from 0.250000001 -o b
runs 0 '' words "$threads" --call cuLaunchKernel -o c
[ "$(letters c/* | sort | uniq -c)" = "$(letters a/* b/* | sort | uniq -c)" ] || fail "--call and --to"
runs 2 'find call nosuch: not in the traces, which have cuInit, ' \
	words "$calls" --call nosuch -o none
runs 2 'find call 1: the traces have no API calls (ktail record --api=wrap)$' \
	words "$trace" --call 1 -o none
runs 2 '^ktail: --call needs words that are processes or threads' \
	words "$calls" --alphabet submission --word channel --call 1 -o none
# The listing is filtered, too: each launch of the graph is one submission.
runs 0 '' decode --brief "$calls" --call cuGraphLaunch
[ "$(grep -c '^doorbell ' stdout)" = 5 ] && grep -q '^submissions: .*, 5 of them shown; in the whole trace:$' stdout ||
	fail "decode --call: $(cat stdout)"
runs 2 'find call nosuch: not in the traces, which have cu' decode "$calls" --call nosuch
runs 2 'find call 1: the traces have no API calls' decode --ioctls "$trace" --call 1
ioctls=0
for phase in CREATE INIT USE DESTROY; do
	runs 0 '' decode --ioctls "$calls" --phase $phase
	ioctls=$((ioctls + $(sed -n 's/^ioctls: .*, \([0-9]*\) of them shown.*/\1/p' stdout)))
done
runs 0 '' decode --ioctls "$calls"
[ $ioctls -gt 600 ] && [ $ioctls -le "$(sed -n 's/^ioctls: \([0-9]*\),.*/\1/p' stdout)" ] || fail "decode --ioctls --phase: $ioctls"
runs 2 '^ktail: --call does not go with --by or --coverage$' stats --by class "$calls" --call 1
runs 0 '' stats "$calls" --call cuGraphLaunch -o all.tsv
awk -F '\t' '!/^#/ && $1 ~ /^cu/ && $1 != "cuGraphLaunch"' all.tsv | grep . && fail "stats --call"

# --- --phase: phases by calls, as annotate assigns them; each stretch is a word of its thread ---
for alphabet in table1 submission methods; do
	rm -rf all phases
	runs 0 '' words "$threads" --word thread -a $alphabet -o all
	for phase in CREATE init USE destroy; do
		folder=phase-$phase-$alphabet
		"$ktail" words "$threads" -a $alphabet --phase $phase -o "$folder" 2>stderr ||
			grep -q 'no words: no event gives a letter' stderr || fail "$folder: $(cat stderr)"
		[ ! -d "$folder" ] || letters "$folder"/* >>phases
	done
	[ "$(sort phases | uniq -c)" = "$(letters all/* | sort | uniq -c)" ] ||
		fail "$alphabet: letters of phases"
	runs 0 '' words "$threads" -a $alphabet --phase create,init,use,destroy -o every
	diff -r all every || fail "$alphabet: all phases"
	rm -rf every
done
# annotate counts the same number of letters in each phase.
runs 0 '' --k 4 --word thread "$threads" -o threads.json
runs 0 '' annotate threads.json "$threads" -o threads.txt
letters_of() { sed -n '/letters, by structure (down)/,/agree/p' threads.txt | awk -v n="$1" \
	'NR == 2 { for (i = 1; i <= NF; i++) if ($i == n) at = i + 1 } NR > 2 && at && !/agree/ { sum += $at } END { print sum }'; }
[ "$(letters phase-CREATE-table1/* | wc -l)" = "$(letters_of CREATE)" ] || fail "CREATE of annotate: $(letters_of CREATE)"
[ "$(letters phase-init-table1/* | wc -l)" = "$(letters_of INIT)" ] || fail "INIT of annotate: $(letters_of INIT)"
[ "$(letters phase-USE-table1/* | wc -l)" = "$(letters_of USE)" ] || fail "USE of annotate: $(letters_of USE)"
[ "$(letters phase-destroy-table1/* | wc -l)" = "$(letters_of DESTROY)" ] || fail "DESTROY of annotate: $(letters_of DESTROY)"
# The beginning and the end of a word are unknown where its phase begins or ends at a call, and
# known where the process begins or ends.
grep -l '^#ktail cut-end' phase-CREATE-table1/* | grep -q . || fail "CREATE has an end"
grep '^#ktail cut-begin' "$(find phase-CREATE-table1 -name '*.t0*events' | sort | head -n 1)" && fail "CREATE has no beginning"
runs 0 - words "$threads" --phase USE --strict -o strict-use
runs 0 '' --k 4 "$threads" --phase USE -o use.json
grep -q '"word": "thread"' use.json || fail "the unit of phases"
runs 0 '' check use.json "$threads" --phase USE
[ "$(grep -c ': [0-9]* letters\{0,1\}, fits' stdout)" = "$(find phase-USE-table1 -type f | wc -l)" ] || fail "check --phase: $(cat stdout)"
runs 0 'not placed at its start' annotate use.json "$threads" --phase USE -o use.txt
[ "$(head -n 1 use.txt)" = "Letters of 1 trace: 7475 placed, 4 not" ] || fail "annotate --phase: $(head -n 1 use.txt)"
runs 0 '' stats "$threads" --phase INIT -o init.tsv
grep -q '^cuModuleLoadData	' init.tsv && ! grep -q '^cuLaunchKernel	' init.tsv || fail "stats --phase: $(cat init.tsv)"
runs 2 'find phase USE: the traces have no API calls that show it (ktail record --api=wrap)$' \
	words "$trace" --phase USE -o none
runs 2 "^ktail: --phase must be CREATE, INIT, USE or DESTROY, not 'used'$" words "$calls" --phase used -o none
runs 2 '^ktail: --call and --phase exclude each other' words "$calls" --phase use --call 1 -o none
runs 2 '^ktail: --phase needs words that are processes or threads' \
	words "$calls" --alphabet submission --word channel --phase use -o none
runs 2 '^ktail: --phase does not go with --by or --coverage$' stats --by class "$calls" --phase USE
runs 2 ': --phase needs the folder of a trace' words some/* --phase USE -o none

# --- what is listed, counted and labelled ---
last() { tail -n 1 stdout | sed 's/,.*"shown":\([0-9]*\).*/ \1/; s/.* //'; }
shown=0
for range in '--to 0.1' '--from 0.100000001'; do
	# shellcheck disable=SC2086
	runs 0 '' decode --ioctls -f json "$calls" $range
	shown=$((shown + $(last)))
done
runs 0 '' decode --ioctls -f json "$calls"
[ "$(last)" = $shown ] || fail "ioctls: $(last), in two parts $shown"
# The figures of the parts add up to those of the whole; a call counts in the part in which the call
# begins.
figure() { awk -F '\t' -v name="$1" '/^#/ { next }
	!at { for (at = NF; at > 1 && $at != name; at--); next } { last = $at } END { print last }' "$2"; }
# shellcheck disable=SC2086
{
	runs 0 '' stats "$calls" -o all.tsv
	runs 0 '' stats "$calls" --to 0.2 -o a.tsv
	runs 0 '' stats "$calls" --from 0.200000001 -o b.tsv
}
for name in calls ioctls doorbells entries bytes launches; do
	all=$(figure $name all.tsv) sum=$(($(figure $name a.tsv) + $(figure $name b.tsv)))
	[ "$all" = $sum ] && [ "$all" -gt 0 ] || fail "stats: $name: $all, in two parts $sum"
done
for what in '' '--by channel' '--by class' '--coverage' '--fit launch'; do
	# shellcheck disable=SC2086
	runs 2 'find process nosuch: not in the traces, which have ' \
		stats $what "$calls" --process nosuch
done
runs 2 '^ktail: --channel needs --by channel, --by context or --by class$' stats "$calls" --channel 1
runs 2 'find channel 0x1: not in the traces, which have ' \
	stats --by class "$calls" --channel 0x1
runs 0 '' --k 5 "$calls" --to 0.1 -o part.json
runs 0 '' words "$calls" --to 0.1 -o part-words
runs 0 '' annotate part.json "$calls" --to 0.1 --strict -o part.txt
placed=$(letters part-words/* | wc -l)
head -n 1 part.txt | grep -qx "Letters of 1 trace: $placed placed, 0 not" || fail "annotate: $(head -n 1 part.txt)"
runs 2 'find process nosuch: not in the traces, which have ' \
	annotate part.json "$calls" --process nosuch

# Letters of other threads do not end a run. A thread without letters is not reported as missing.
runs 0 '' words "$threads" --thread 2210 --runs R:sys -o of
runs 0 '' words "$threads" --word thread --thread 2210 --runs R:sys -o by
[ "$(letters of/*)" = "$(letters by/*)" ] || fail "--runs within a thread"
runs 3 'no words: no event gives a letter' words "$threads" --thread 2209 -a submission -o none
# A machine records the unit of its words.
runs 0 '' --k 1 "$threads" --call cuLaunchKernel -o unit.json
grep -q '"word": "thread"' unit.json || fail "the unit of calls"
# Standard output beside a file without an ending
runs 0 '' check unit.json "$threads" --call cuLaunchKernel -f txt -o report -o -
[ -s report ] || fail "check -o FILE -o -"
[ $failures = 0 ]
