#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail merge and ktail diff of distilled machines.
#   check-distilled.sh KTAIL GOLDEN
# GOLDEN: the folder of the drawings' golden inputs
ktail=$1 golden=$2
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

cp "$golden/distilled.json" small.json
cp "$golden/distilled-columns.json" large.json
cp "$golden/distilled-one.json" old.json
sed 's/"graph launch"/"replay"/; s/"map:pin"/"map:lock"/' large.json >changed.json

says() {
	grep -qF -- "$2" "$1" || fail "$1 does not say '$2': $(cat "$1")"
}

# What all do, and what some do; in any grouping
runs 0 - merge small.json large.json -o sum.json -o sum.svg -o sum.gv -o sum.dot
runs 0 - merge small.json large.json small.json -o flat.json
runs 0 - merge sum.json small.json -o grouped.json
same flat.json grouped.json
same sum.gv sum.dot
says sum.svg 'in 1 of 2'
says sum.dot 'style=dashed'
runs 0 - merge large.json -o one.json
runs 0 - merge one.json -o again.json
same one.json again.json
runs 0 - diff one.json large.json
runs 0 - merge small.json large.json -o - -f json
same stdout sum.json
runs 0 - merge small.json large.json
same stdout sum.dot
if command -v jq >/dev/null; then
	jq -e '(.letters == 39 + 2191) and .machines == ["small.json", "large.json"] and
		([.states[] | select(.name == "staging") | .in] == [[0]]) and
		([.states[] | select(.name == "query") | .in] == [[1]]) and
		([.states[] | select(.name == "create") | .visits, .in] == [412, [0, 1]]) and
		.states[-1].name == "end" and .system.states[-1].name == "fini"' sum.json \
		>/dev/null || fail "sum.json"
fi

# Differences
runs 0 - diff large.json large.json
says stdout 'have the same states, transitions and letters.'
runs 1 - diff small.json large.json
says stdout 'User interface: both have '
says stdout '  states: staging'
says stdout '    create to query (22)'
runs 1 - diff large.json changed.json
says stdout '    mlock prepared to pinned: map:lock (4)'
runs 1 '' diff large.json changed.json -o d.txt -o d.json -o d.svg
runs 1 - diff large.json changed.json
same stdout d.txt
runs 1 - diff small.json sum.json
says stdout 'only new:'

# Files without the letters of transitions, or without names of letters
runs 0 - merge --names off large.json -o unnamed.json
runs 0 - diff large.json unnamed.json
runs 0 - merge large.json unnamed.json -o two.json
runs 0 - merge unnamed.json large.json -o names.json
runs 0 - merge large.json large.json -o twice.json
runs 0 - diff twice.json two.json
if command -v jq >/dev/null; then
	letters='[.. | .letters? | arrays[] | del(.in)]'
	for file in two names; do
		jq -e --slurpfile twice twice.json "$letters == (\$twice[0] | $letters)" $file.json \
			>/dev/null || fail "letters of $file.json"
	done
	jq '(.transitions, .system.transitions) |= map(del(.letters))' large.json >bare.json
	runs 0 - diff large.json bare.json
	runs 0 - diff bare.json large.json
	runs 0 - merge bare.json large.json -o half.json
	runs 0 - diff half.json large.json
fi

# What does not go together
runs 2 "merge small.json and old.json: only one has the system's column" merge small.json old.json
runs 2 "merge old.json and small.json: only one has the system's column" merge old.json small.json
sed 's/"name": "begin"/"name": "start"/' small.json >start.json
runs 2 'words begin in the state "begin" and in "start"' diff small.json start.json
sed 's/"name": "fini"/"name": "gone"/' small.json >gone.json
runs 2 'words end in the state "fini" and in "gone"' merge small.json gone.json
runs 2 'merge small.json: .kgrams is for statistics' merge small.json -o x.kgrams
for option in --k=3 --update=x.kgrams --alphabet=bogus --word=thread --source=user --strict \
	--without=foo --runs=foo --process=x --from=3 --call=x; do
	runs 2 "read small.json: ${option%%=*} is not for distilled machines" \
		merge "$option" small.json large.json
done
for option in --k=3 --machine=pta --old=corpus --new=large.json --without=foo --runs=foo \
	--words=3 --alphabet=bogus --word=thread --strict; do
	runs 2 "read small.json: ${option%%=*} is not for distilled machines" \
		diff small.json small.json "$option"
done
runs 0 - diff small.json small.json --names off --color=never -f txt -o -
runs 2 'this version writes .dot, .gv, .svg' merge small.json large.json -o x.txt
echo '{"format": "ktail-fsm/1"}' >fsm.json
runs 3 'read fsm.json: it is a state machine (ktail-fsm/1), not a distilled machine' merge small.json fsm.json
runs 3 'read fsm.json: it is a state machine (ktail-fsm/1), not a distilled machine' merge fsm.json small.json
runs 2 'read missing.json: No such file' merge missing.json small.json
fsm='read fsm.json: it is a state machine (ktail-fsm/1), not a distilled machine'
runs 3 "$fsm" diff small.json fsm.json
runs 3 "$fsm" diff fsm.json small.json
runs 2 'read missing.json: No such file' diff small.json missing.json
runs 2 'read missing.json: No such file' diff missing.json small.json
sed 's/"unplaced": [0-9]*/"unplaced": 9223372036854775807/' small.json >huge.json
runs 3 'merge huge.json: counts are too large to add up' merge huge.json huge.json
sed 's/"in": \[/"in": [7,/' sum.json >set.json
runs 3 'in\[0\]: must be the index of one of 2 "machines", not 7' merge set.json small.json
tr -d '\n' <sum.json | sed 's/"in": \[[^]]*\]/"in": []/' >none.json
runs 3 'states\[0\].in: must not be empty' merge none.json small.json
tr -d '\n' <sum.json | sed 's/"in": \[[^]]*\],//' >unset.json
runs 3 'states\[0\].in: is missing' merge unset.json small.json
all=()
for ((i = 0; i < 65; i++)); do all+=(small.json); done
runs 2 'these are more than 64 machines' merge "${all[@]}"
runs 0 - merge "${all[@]:1}" -o x.json

[ $failures = 0 ]
