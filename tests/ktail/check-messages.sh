#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks the exact messages about broken inputs: each names the file and the position in the file.
#   check-messages.sh KTAIL TRACE CUBIN
ktail=$1 trace=$2 cubin=$3
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

printf '%s\n' open read write read close > a.events
printf '%s\n' open write close > b.events
"$ktail" --k 1 a.events b.events -o good.json -o good.gv -o good.graphml --kgrams good.kgrams
"$ktail" --k 1 "$trace" -o traced.json
"$ktail" sweep a.events -o sweep.json 2> /dev/null
"$ktail" annotate traced.json "$trace" --distil distilled.json -o annotated.json 2> /dev/null

# says MESSAGE ARGUMENT...: checks that ktail exits with status 3 and that the message is the last
# line of standard error
says() {
	local expected=$1 status
	shift
	"$ktail" "$@" > /dev/null 2> stderr
	status=$?
	[ $status = 3 ] || fail "$*: exit status $status"
	[ "$(tail -1 stderr)" = "$expected" ] || fail "$*: '$(tail -1 stderr)', not '$expected'"
}

# edit FILE SCRIPT: writes FILE, changed by sed, to x.SUFFIX
edit() {
	sed "$2" "$1" > "x.${1##*.}"
	! cmp -s "$1" "x.${1##*.}" || fail "$2 changes nothing in $1"
}

# json FILE SCRIPT MESSAGE ARGUMENT...: edits the file to x.json and checks the message
json() {
	edit "$1" "$2"
	local message=$3
	shift 3
	says "$message" "$@"
}

# Machines
number='a whole number from 0 to'
read='ktail: read x.json:'
json good.json '3s/:/: x/' "$read line 3: invalid token near 'x'" convert x.json
json good.json '/"id": 1,/s/"visits": [0-9]*/"visits": -7/' \
	"$read states[1].visits: must be $number 9223372036854775807, not -7" convert x.json
json good.json '/"id": 2,/s/"id": 2/"id": 3/' "$read states[2].id: must be 2, not 3" convert x.json
json good.json '/"from": 0/s/"letter": "open"/"letter": "ope"/' \
	"$read transitions[0].letter: must be one of \"letters\", not \"ope\"" convert x.json
json good.json '/"from": 0/s/"to": [0-9]*/"to": 99/' \
	"$read transitions[0].to: must be $number 2, not 99" convert x.json
json good.json '/"from": 0/s/, "count": [0-9]*//' \
	"$read transitions[0].count: is missing, must be $number 9223372036854775807" convert x.json
json good.json '/"from": 0/s/"count": [0-9]*/"count": 7/' \
	"$read the \"count\" of \"transitions\" adds up to 13, but the \"events\" of \"words\" to 8" convert x.json
json good.json 's/"open", "read"/"read", "open"/' \
	"$read letters[2]: must be greater than the previous one (sorted by bytes, without duplicates), not \"open\"" convert x.json
json good.json 's/"hash": "[0-9a-f]*"/"hash": "no"/' \
	"$read words[0].hash: must be 32 hex digits, not \"no\"" check x.json a.events
json good.json 's/"format": "[^"]*"/"format": 7/' \
	'ktail: read x.json: "format" is not one of "ktail-fsm/1", "ktail-sweep/1", "ktail-sweeps/1" and "ktail-distilled/1"' \
	render x.json
json good.json '/"from": 0/s/"from": 0/"from": "0"/' \
	"ktail: read x.json: transitions[0].from: must be $number 2, not \"0\"" render x.json
json sweep.json '0,/"states": [0-9]*/s//"states": null/' \
	"ktail: read x.json: rows[0].states: must be $number 9223372036854775807, not null" \
	render -f svg x.json
json distilled.json '0,/"visits": [0-9]*/s//"visits": {}/' \
	"ktail: read x.json: states[0].visits: must be $number 9223372036854775807, not an object" \
	render -f svg x.json
says "ktail: read x.json: format: must be \"ktail-fsm/1\", not \"ktail-distilled/1\"" score x.json good.json

# The machine's alphabet: the message names the machine's file and the rule, not the trace.
edit traced.json 's/"rules": \[/"rules": ["nonsense", /'
message="$(printf 'nonsense\n' > n.alphabet; "$ktail" --k 1 -a n.alphabet "$trace" 2>&1 | sed 's/.*n\.alphabet:1: //')"
says "$read alphabet.rules[0]: $message" annotate x.json "$trace"
says "$read alphabet.rules[0]: $message" check x.json "$trace"
json traced.json 's/"rules": \[/"rules": [7, /' \
	"$read alphabet.rules[0]: must be a string of one line, not 7" annotate x.json "$trace"
json traced.json 's/"rules": \[/"rule": [/' "$read alphabet.rules: is missing, must be an array" annotate x.json "$trace"

# Annotations that diff reads
json annotated.json '0,/"calls": \[\]/s//"calls": [7]/' \
	"$read annotation.calls[0].name: is missing, must be a string" diff annotated.json x.json

# Statistics
edit good.kgrams '0,/"counts": "[^"]*"/s//"counts": "1 x"/'
says 'ktail: read x.kgrams: windows[0].counts: must be one number above 0 for each window, and is not from character 3 on' merge x.kgrams
edit good.kgrams '0,/"first": [0-9]*/s//"first": 1000/'
grep -q 'words\[0\].first: must be a number below [0-9]* (of "pieces"), not 1000$' \
	<("$ktail" merge x.kgrams 2>&1) || fail "a word's piece"

# Graphs
edit good.gv 's/s1\b/state1/g'
says "ktail: read x.gv: line $(grep -n state1 x.gv | head -1 | cut -d: -f1): a state is called 'state1', must be one of s0, s1, ..., without duplicates" convert x.gv
edit good.gv '/^\ts2 \[/s/visits=[0-9]*/visits=many/'
says "ktail: read x.gv: line $(grep -n many x.gv | cut -d: -f1): 'visits' must be a whole number below 2^63, not 'many'" convert x.gv
edit good.graphml '/<node id="s1">/s/s1/one/; s/source="s1"/source="one"/; s/target="s1"/target="one"/'
says "ktail: read x.graphml: line $(grep -n '"one"' x.graphml | head -1 | cut -d: -f1): a state is called 'one', must be one of s0, s1, ..., without duplicates" convert x.graphml
printf 'digraph {\n s [label=""]\n s -> a\n a -> b\n}\n' > x.dot
says 'ktail: read x.dot: line 4: an edge from a has no label' convert x.dot

# Text: rules of labels, alphabets, words, examples
printf 'event=ioctl\tx\n' > bad.rules
says "ktail: read bad.rules: line 1: not four fields separated by tabs" annotate --rules bad.rules traced.json "$trace"
printf '# one\nioctl -> {nonsense}\n' > bad.alphabet
says "ktail: read $trace: read alphabet bad.alphabet:2: event ioctl has no field nonsense that is a number or a string" \
	--k 1 -a bad.alphabet "$trace"
printf 'a\n\001\n' > x.events
says "ktail: read x.events:2: a letter with control characters or invalid UTF-8" --k 1 x.events
printf 'nothing -> x\n' > none.alphabet
says "ktail: read $trace: no words: no event gives a letter" --k 1 -a none.alphabet "$trace"
says "ktail: read $trace and 1 more: no words: no event gives a letter" --k 1 -a none.alphabet "$trace" "$trace"
says "ktail: read $trace: no words: no event gives a letter" check -a none.alphabet good.json "$trace"

# GPU programs
cp "$cubin" x.cubin
printf '\377\377\377\177' | dd of=x.cubin bs=1 seek=40 conv=notrunc 2> /dev/null
says 'ktail: read x.cubin: byte 0x28: section 0 is in a section table that is not within the file' decode --sass x.cubin
printf 'no\n' > x.cubin
says 'ktail: read x.cubin: not a 64-bit ELF file for CUDA, and without fatbins' decode --sass x.cubin

[ $failures = 0 ]
