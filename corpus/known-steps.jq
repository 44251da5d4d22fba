# SPDX-License-Identifier: MIT
# How many steps of a distilled machine another one knows, for each of its two interfaces.
# Usage: jq --slurpfile known OTHER.json -f known-steps.jq MACHINE.json
# A step is known if OTHER has its transition (by the names of its states) with its letter.
def transitions: [.states[].name] as $name
	| [.transitions[] | {key: "\($name[.from]) \($name[.to])", count, letters: (.letters // [])}];
def known(machine; other):
	(other | transitions | map({key, value: [.letters[].letter]}) | from_entries) as $has
	| (machine | transitions) as $all
	| {steps: ([$all[].count] | add),
	   known_steps: ([$all[] | .key as $key | .letters[] | select($has[$key] and any($has[$key][] == .letter; .)) | .count] | add),
	   transitions: ($all | length),
	   known_transitions: ([$all[] | select($has[.key])] | length)};
{system: known(.system; $known[0].system), user: known(.; $known[0])}
