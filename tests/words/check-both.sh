#!/bin/bash
# SPDX-License-Identifier: MIT
# Words of both sources: `--source both` adds the kernel's pinnings and interrupts to the word of user
# space, in order of time. The trace is of the case `both` of the kernel's test bench: the workload
# `copies` on the software GPU, with `--access=exact`. REGENERATE=1 writes the golden word.
#   check-both.sh KTAIL BOTH.tar.zst
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"
golden=$here/data/both.txt
ktail=$1 both=$2
word=both_copies.0.events

letters() {
	grep -v '^#' "$1/$word"
}

runs 0 - words -a atc13 "$both" -o user
runs 0 - words -a atc13 --source both "$both" -o both
grep -v '^#ktail version' "both/$word" > word
[ -z "$REGENERATE" ] || cp word "$golden"
diff "$golden" word > said || fail "the word: $(head -20 said)"
letters user > expected
letters both | grep -vxE 'pin|irq' > got
same expected got
# Both sources recorded ioctls, mappings and doorbells; each is one letter, and follows its pinning.
[ "$(letters both | grep -vx irq | grep -A2 -x pin | tr '\n' ' ')" = "$(printf 'pin ioctl:0x27 map:pin %.0s' 1 2)" ] ||
	fail "pinnings: $(letters both | grep -A2 -x pin)"

# Built-in alphabets of what the driver does have the letters; others and other words are refused.
for alphabet in table1 rm calls; do
	runs 0 - words -a $alphabet --source both "$both" -o $alphabet
	[ "$(letters $alphabet | grep -cxE 'pin|irq')" = "$(letters both | grep -cxE 'pin|irq')" ] ||
		fail "$alphabet"
done
for alphabet in roles submission methods; do
	runs 2 "needs an alphabet of rules, and $alphabet is none" words -a $alphabet --source both "$both" -o result
done
runs 2 'the alphabet api has no rule for an event that only the kernel records' words -a api --source both "$both" -o result
printf '%s\n' 'pin -> pin:{pages}' 'irq handled=1 -> irq:{line:x}' 'ioctl -> ioctl' 'ioctl_entry -> enter:{fd}' > own.alphabet
runs 0 - words -a own.alphabet --source both "$both" -o own
letters own | sort | uniq -c | sort -rn | grep -v enter > said
grep -qE ' 40 irq:0x[0-9a-f]+$' said && grep -q ' 2 pin:1024$' said ||
	fail "fields: $(cat said)"
[ "$(letters own | grep -c '^enter:')" = "$(letters own | grep -cx ioctl)" ] || fail 'calls and returns'
echo 'irq -> irq:{number}' > wrong.alphabet
runs 3 'wrong.alphabet:1: event irq has no field number' words -a wrong.alphabet --source both "$both" -o result
runs 2 'needs words that are processes: an interrupt belongs to no thread' words -w thread --source both "$both" -o result
runs 2 'needs words that are processes' words --call cuInit --source both "$both" -o result
tar --zstd -xf "$both"
runs 2 'read both/ust: --source both: the trace has no events of the kernel$' words --source both both/ust -o result
runs 2 'read both/kernel: --source both: the trace has no events of user space$' words --source both both/kernel -o result
mv both/kernel kernel
cp -r "$here/data/softgpu-streams" other
mv kernel other/kernel
runs 2 'read other: --source both: no process was recorded both from user space and by the kernel$' words --source both other -o result
# These read events of one source.
for program in stats decode report policy; do
	runs 2 "--source must be user or kernel, not 'both'" $program --source both "$both"
done
leaves_nothing

# A machine keeps the rules, so that its words are read with them.
runs 0 - -k 3 --source both "$both" -o fsm.json
grep -q '"irq handled=1 -> irq"\]' fsm.json || fail "the machine's rules"
runs 0 - check --source both fsm.json "$both"
runs 0 - check fsm.json table1/*.events
runs 2 'known only at the end; check the recorded trace' check --source both fsm.json net://localhost/host/a/b

# The machine says so, and other words than its own are refused, whatever the alphabet is called.
grep -q '"alphabet": {"name": "table1", "source": "both", ' fsm.json || fail "the machine's source"
for alphabet in atc13 own.alphabet; do
	runs 0 - -k 3 -a $alphabet --source both "$both" -o whole.json
	runs 0 - -k 3 -a $alphabet "$both" -o user.json
	runs 0 - check -a $alphabet --source both whole.json "$both"
	runs 0 - check -a $alphabet user.json "$both"
	runs 2 'check with whole.json: it was made with --source both, so check with --source both, too$' \
		check whole.json "$both"
	runs 2 'check with user.json: it was made without --source both, so check without it, too$' \
		check --source both user.json "$both"
	runs 2 'read whole.json: it was made with --source both, but words to annotate must be of one source: infer it without' \
		annotate whole.json "$both" -o result.json
	runs 0 '' annotate user.json "$both" -o annotated.json
done
runs 2 'its letters are of the alphabet own, not of rm$' check -a rm --source both whole.json "$both"
leaves_nothing
# Interrupts can be left out, as in the paper.
runs 0 - words --source both --without irq "$both" -o without
[ "$(letters without | grep -cxE 'pin|irq')" = 2 ] || fail 'without interrupts'

# Machines and words of one source and of both differ for that alone, so ktail diff warns.
runs 0 - -k 3 "$both" -o user.json
said='the words of the new machine were made with --source both, those of the old machine without it: make both alike'
runs 1 "$said" diff user.json fsm.json
said='only the words of the old machine have letters of events that only the kernel records (such as irq): those of the new machine may have been made with another --source'
runs 1 "$said" diff -k 3 both user
runs 1 "$said" diff fsm.json user
runs 0 - diff fsm.json table1
# Words of files have their letters already.
said="it holds words, and --source has no effect on them: give it when words are made of a trace$"
runs 2 "read both/$word: $said" infer --source both "both/$word"
runs 2 "read both/$word: $said" diff --source kernel fsm.json both
runs 2 "read both/$word: $said" check --source both fsm.json "both/$word"
runs 2 'source applies to traces, but both sides are machines$' diff --source both fsm.json user.json

[ $failures = 0 ]
