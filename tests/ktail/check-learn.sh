#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail learn: accesses and letters whose number varies are left out; new recordings fit
# however often they poll; recordings with an additional, missing, other or moved letter, of
# another program, or of a truncated or killed program do not fit.
#   check-learn.sh KTAIL
ktail=$1
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# word FILE LETTER...
word() {
	local file=$1
	shift
	{ printf '#ktail name t/app.0\n'; printf '%s\n' "$@"; } > "$file.events"
}
says() { grep -qxF -e "$1" "$2" || fail "not '$1': $(cat "$2")"; }

word a open W:sys W:reg R:sys R:sys ioctl:0x2b W:reg close
word b open W:sys W:reg R:sys ioctl:0x2b W:reg close
word c open W:sys W:reg R:sys R:sys R:sys ioctl:0x2b W:reg close
runs 0 '' learn a.events b.events c.events -o gate.json
says 'ktail: 3 recordings; left out (accesses, and what varies): R:sys, W:sys' stderr
says 'ktail: k = 5 (the longest word), since the recordings are otherwise equal' stderr
jq -e '.gate and .k == 5 and .alphabet.without == ["R:fb", "R:pin", "R:reg", "R:sys", "R:uvm", "W:fb", "W:pin", "W:sys", "W:uvm"]' gate.json > /dev/null || fail "gate.json"
# The order of recordings does not matter; without -o the machine is written to standard output.
runs 0 '' learn c.events a.events b.events
diff <(jq 'del(.words)' gate.json) <(jq 'del(.words)' stdout) || fail "order matters"
mkdir recordings && cp [abc].events recordings/
runs 0 '' learn recordings -o gate.json

# accepted STATUS LETTER...
accepted() {
	local status=$1
	shift
	word new "$@"
	runs "$status" - check gate.json new.events
}
accepted 0 open W:sys W:reg R:sys R:sys R:sys R:sys R:reg ioctl:0x2b W:sys W:reg close
accepted 1 open W:sys W:reg R:sys W:reg close
accepted 1 open W:reg ioctl:0x2b ioctl:0x2b W:reg close
accepted 1 open W:reg ioctl:0x2a W:reg close
accepted 1 open ioctl:0x2b W:reg W:reg close
accepted 1 open W:reg ioctl:0x2b W:reg W:reg close
accepted 1 other
accepted 1 open W:reg ioctl:0x2b W:reg
says 't/app.0: 4 letters, ends too early' stdout
says '    other numbers: close 0 times instead of 1 (1 fewer)' stdout
says 'the word does not fit' stdout
runs 1 - check gate.json new.events -o new.json
jq -e '.fits == false and .misfits == 1 and .words[0].ends_early and .words[0].fits == false' new.json > /dev/null || fail "new.json: $(cat new.json)"
# A process was killed after its last letter, so the trace does not have its end.
word new open W:reg ioctl:0x2b W:reg close
sed -i '1a #ktail cut-end' new.events
runs 1 '' check gate.json new.events
says 't/app.0: 5 letters, ends too early (its end is truncated)' stdout

# With machines that are not gates, an early end is a misfit only with --complete.
runs 0 '' --k 9 a.events -o plain.json
word new open W:sys W:reg
runs 0 - check plain.json new.events
runs 1 - check --complete plain.json new.events
runs 0 - check --complete plain.json a.events

# --max-misfits
word new open W:reg ioctl:0x2a ioctl:0x2b W:reg close
runs 1 - check --all gate.json new.events
runs 1 - check --all --max-misfits 0 gate.json new.events
runs 0 - check --all --max-misfits 1 gate.json new.events
runs 2 max-misfits check --max-misfits x gate.json new.events

# A recording of --other must not fit the machine; if it does, that is an error.
runs 0 'app.0 does not fit, from letter [0-9]* on' learn a.events b.events --other new.events -o other.json
runs 1 'app.0 fits, too: what is different about it' learn a.events b.events --other a.events -o other.json
[ -s other.json ] || fail 'no machine'

# If recordings differ in order, k is the greatest with which each fits the machine of the others.
for i in 1 2 3; do
	word "p$i" open a b a b close
	word "q$i" open b a b a close
done
runs 0 '' learn p?.events q?.events -o mixed.json
grep -qx 'ktail: k = [0-9]*, the greatest with which each recording fits the others. machine' stderr || fail "k: $(cat stderr)"
word r1 open x y z close
word r2 open y z x close
word r3 open z x y close
runs 0 'differ in more than letters that depend on time' learn r?.events -o mixed.json

# If several threads of a process write doorbells, consecutive ones count as one.
for i in 1 2 3; do
	{ printf '#ktail name r%d/app.0.t0\n' $i; printf '%s\n' open W:sys W:reg W:sys W:reg close; } > "m$i-0.events"
	{ printf '#ktail name r%d/app.0.t1\n' $i; printf '%s\n' map W:reg W:sys W:reg R:sys W:reg unmap; } > "m$i-1.events"
done
runs 0 'several threads write doorbells, so consecutive ones count as one' learn m1-?.events m2-?.events -o threads.json
runs 0 - check threads.json m3-?.events
sed -i '0,/W:reg/{/W:reg/d}' m3-1.events
runs 0 - check threads.json m3-?.events
runs 0 'several threads write doorbells' learn m?-?.events -o threads.json
says 'ktail: 3 recordings; left out (accesses, and what varies): R:sys, W:sys' stderr
jq -e '.alphabet.runs == ["W:reg"]' threads.json > /dev/null || fail "runs: $(cat threads.json)"
sed -i '/W:reg/d' m3-1.events
runs 1 - check threads.json m3-?.events
runs 0 '' learn m1-0.events m2-0.events -o threads.json
grep -q 'several threads' stderr && fail "one thread: $(cat stderr)"
sed -i '0,/W:reg/{/W:reg/d}' m3-0.events
runs 1 - check threads.json m3-0.events

# Threads with different work are numbered in order of time, here differently in r2.
for i in 1 2 3; do
	first=$((i == 2 ? 2 : 1))
	{ printf '#ktail name r%d/app.0.t0\n' $i; printf '%s\n' open close; } > "n$i-0.events"
	{ printf '#ktail name r%d/app.0.t%d\n' $i $first; printf '%s\n' a a b; } > "n$i-1.events"
	{ printf '#ktail name r%d/app.0.t%d\n' $i $((3 - first)); printf '%s\n' b c c c; } > "n$i-2.events"
done
runs 0 '' learn n?-?.events -o threads.json
says 'ktail: 3 recordings' stderr
says 'ktail: k = 4 (the longest word), since the recordings are otherwise equal' stderr
sed -i 's/^c/b/' n1-2.events
runs 1 - check threads.json n1-2.events
runs 0 '' learn n?-?.events -o threads.json
says 'ktail: 3 recordings; left out (accesses, and what varies): b, c' stderr

runs 2 'learn from a.events: one recording does not show what depends on time' learn a.events -o x.json
[ -e x.json ] && fail "a machine of one recording"
runs 2 'no trace given' learn
word s R:sys W:sys
runs 3 'no letters remain' learn s.events s.events
sed 's/"gate": true/"gate": 1/' gate.json > bad.json
runs 3 'gate: .* true or false' check bad.json a.events
[ $failures = 0 ]
