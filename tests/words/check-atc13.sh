#!/bin/bash
# SPDX-License-Identifier: MIT
# The alphabet atc13: its words of a recording with --access=exact are the golden ones, with a letter
# for each access and only letters of table 1 of the 2013 paper. Other recordings are refused, also by
# a machine with this alphabet and by an alphabet in a file. REGENERATE=1 writes the golden word.
#   check-atc13.sh KTAIL EXACT.tar.zst COALESCED-TRACE
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"
golden=$here/data/atc13.txt
ktail=$1 exact=$2 coalesced=$3

runs 0 '' words -a atc13 "$exact" -o words
grep -v '^#ktail version' words/exact_microbench.0.events > word
[ -z "$REGENERATE" ] || cp word "$golden"
diff "$golden" word > said || fail "the word: $(head -20 said)"
grep -vxE '#ktail name .*|ioctl:0x[0-9a-f]+|(map|R|W):(pin|reg|fb|sys)' word > said &&
	fail "letters that table 1 does not have: $(sort -u said)"
tar --zstd -xf "$exact"
babeltrace2 exact > events 2> said || fail "babeltrace2"
# Doorbells are events of their own, often with their commands.
for kind in 'access|doorbell|submission:^[RW]:' 'ioctl:^ioctl:' 'map:^map:'; do
	n=$(grep -v 'device = "nvidia-uvm' events | grep -cE "gpu_stack:(${kind%%:*}):")
	letters=$(grep -c "${kind#*:}" word)
	[ "$n" = "$letters" ] && [ "$n" -gt 0 ] || fail "$n events ${kind%%:*}, $letters letters"
done

needs="the alphabet atc13 needs a trace recorded with --access=exact; this one has --access=coalesced\$"
runs 2 "^ktail: read .*: $needs" words -a atc13 "$coalesced" -o refused
runs 2 "^ktail: read .*: $needs" -a atc13 "$coalesced" -o refused.json
runs 2 "$needs" sweep -a atc13 --group a="$exact" --group b="$coalesced" -o refused.tsv
if compgen -G 'refused*' > /dev/null; then
	fail "left behind: $(ls -A)"
fi

# A machine keeps what its alphabet requires.
runs 0 '' -k 5 -a atc13 "$exact" -o exact.json
grep -q '"rules": \["require access=exact", "ioctl device=nvidia-uvm -> -"' exact.json || fail "the machine's rules"
runs 0 '' check exact.json "$exact"
runs 2 "$needs" check exact.json "$coalesced"

# An alphabet in a file may require any mode.
printf 'require doorbell=auto\nrequire access=exact\ndoorbell -> D\n' > mine.alphabet
runs 0 '' -k 1 -a mine.alphabet "$exact" -o mine.json
printf 'doorbell -> D\nrequire doorbell=off\n' > mine.alphabet
runs 2 'the alphabet mine needs a trace recorded with --doorbell=off; this one has --doorbell=auto$' \
	-k 1 -a mine.alphabet "$exact" -o mine.json
printf 'doorbell -> D\nrequire colour=red\n' > mine.alphabet
runs 2 'the alphabet mine needs a trace recorded with --colour=red; this one does not say its colour$' \
	-k 1 -a mine.alphabet "$exact" -o mine.json

[ "$failures" = 0 ]
