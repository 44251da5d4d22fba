#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail diff on annotated machines: labels next to states and letters, labels and phases that
# only one machine has, and differences of calls, in text and JSON; malformed annotations.
#   check-diff-meanings.sh KTAIL
ktail=$1
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# says TEXT...: checks that each text occurs in a line of standard output
says() {
	local text
	for text; do
		grep -qF -- "$text" stdout || { fail "no '$text' in:"; cat stdout; }
	done
}

# annotate FROM TO CALLS: adds labels by letters, phases, and CALLS in JSON to a machine
annotate() {
	sed -e 's|^\(    {"id": \([0-9]*\),.*\)}\(,*\)$|\1, "label": "state of \2", "phase": "USE"}\3|' \
		-e 's|^\(    {"from":.*"letter": "\([a-z]*\)".*\)}\(,*\)$|\1, "label": "to \2"}\3|' \
		-e 's|"state of 0", "phase": "USE"|"begin", "phase": "CREATE"|' -e '$d' "$1" > "$2"
	printf '  , "annotation": {"calls": %s}\n}\n' "$3" >> "$2"
}

printf '%s\n' open submit poll submit poll close > old.events
printf '%s\n' open submit poll poll look close > new.events
for side in old new; do
	runs 0 - --k 5 $side.events -o $side.json
done
annotate old.json a.json '[
	{"name": "cuGraphLaunch", "api": "driver", "calls": 5, "time": 900, "doorbells": 30,
	 "bytes": 3720, "launches": 250, "ioctls": 2},
	{"name": "cuInit", "calls": 1, "ioctls": 100},
	{"name": "cuMemcpyHtoD_v2", "calls": 4, "inline": 4, "bytes": 400},
	{"name": "cuMemcpyAtoH", "calls": 4, "bytes": 8}]'
annotate new.json b.json '[
	{"name": "cuGraphLaunch", "api": "driver", "calls": 10, "time": 100, "doorbells": 10,
	 "bytes": 6240, "launches": 500, "ioctls": 1},
	{"name": "cuInit", "calls": 1, "ioctls": 104},
	{"name": "cuMemcpyHtoD_v2", "calls": 3, "inline": 0, "direct": 3, "bytes": 301, "errors": 1},
	{"name": "cuStreamCreate", "calls": 1}]'

runs 1 - diff a.json b.json
says '| submit ('"'to submit'"')' \
	"in 'state of 3' (state 3); there the new machine has: poll ('to poll')" \
	"  poll submit (from 1 state): 'to poll', 'to submit'" \
	'Labels that only the new machine has:' "  'to look' (1 transition)" \
	'on average per call, by more than 5 %:' \
	'  cuGraphLaunch: 1 doorbell for 50 launches instead of 6; 624 bytes of commands instead of 744; 0.1 ioctls instead of 0.4' \
	'  cuMemcpyHtoD_v2: 0 inline copies instead of 1; 1 direct copy instead of 0; 0.3 errors instead of 0' \
	"Only the old machine's traces call cuMemcpyAtoH." \
	"Only the new machine's traces call cuStreamCreate."
# 104 ioctls instead of 100 and 100.3 bytes instead of 100 are within the tolerance; times are not
# compared.
grep -q 'cuInit\|time\|900' stdout && fail "reports a difference within the tolerance"
grep -q '100.3 bytes' stdout && fail "reports one byte"
grep -q 'Labels of the old' stdout && fail "labels that both have"
runs 1 'the machines differ: see d.json' diff a.json b.json -o d.json
grep -qF '{"name": "cuGraphLaunch", "figure": "doorbells", "old": 30, "old_calls": 5, "new": 10, "new_calls": 10}' d.json ||
	fail "calls in JSON"
grep -qF '"new": [{"text": "to look", "states": 0, "transitions": 1}]' d.json || fail "labels in JSON"
grep -qF '"functions": {"old": ["cuMemcpyAtoH"], "new": ["cuStreamCreate"]}' d.json || fail "functions in JSON"
tr -d '\n' < d.json | grep -q '"id": 0, [^}]*"label": "begin", *"phase": "CREATE"' || fail "states' labels in JSON"
tr -d '\n' < d.json | grep -q '"letter": "look", [^}]*"label": "to look"' || fail "transitions' labels in JSON"
if command -v jq > /dev/null; then
	jq -e '.meanings.calls | length == 6' d.json > /dev/null || fail "meanings are no JSON, or too many"
fi
"${ktail%/*}/ktail-render" d.json -o d.svg || fail "ktail-render does not take it"

# The machines exchanged
runs 1 - diff b.json a.json
says 'cuGraphLaunch: 6 doorbells for 50 launches instead of 1' 'Labels that only the old machine has:'
# Equal annotations: nothing is reported.
runs 0 - diff a.json a.json
grep -q 'cuGraph\|Labels\|Phases\|Only' stdout && fail "equal annotations differ"
# Phases that only one machine has
sed 's/"phase": "USE"/"phase": "INIT"/' a.json > c.json
runs 0 - diff a.json c.json
says 'Phases that only the old machine has:' "  'USE' (6 states)" "  'INIT' (6 states)"
# Only one machine has an annotation.
runs 1 - diff a.json new.json
says 'Only the old machine has labels (ktail annotate): they are not compared.'
runs 1 'the machines differ: see e.json' diff old.json b.json -o e.json
grep -q '"meanings"' e.json && fail "compared with nothing"
runs 1 - diff old.json new.json
grep -q "Only the .* has labels" stdout && fail "labels that nobody has"
runs 1 - diff a.json new.events

# A function without calls, and numbers of maximum size
annotate old.json f.json '[{"name": "cuInit", "calls": 9223372036854775807, "ioctls": 9223372036854775807}]'
annotate old.json g.json '[{"name": "cuInit", "calls": 1, "ioctls": 9223372036854775807}]'
runs 0 - diff f.json g.json
says 'cuInit: 9223372036854775807 ioctls instead of 1'
annotate old.json h.json '[{"name": "cuInit", "ioctls": 7}]'
runs 0 - diff f.json h.json

# Malformed annotations
for calls in '[{"calls": 1}]' '[{"name": "cuInit", "calls": -1}]' '[{"name": "cuInit", "calls": "1"}]' \
	'[3]' '[{"name": 3, "calls": 1}]' '[{"name": "cuInit", "calls": 1, "doorbells": 1.5}]'; do
	annotate old.json bad.json "$calls"
	runs 3 '^ktail: read bad.json: annotation\.calls\[0\]\.[a-z]*: ' diff bad.json a.json -o result.txt
	leaves_nothing
done
for calls in '{}' 'null' '"text"'; do
	annotate old.json none.json "$calls"
	runs 0 - diff none.json a.json
done
[ "$failures" -eq 0 ]
