#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests ktail sweep --cross-validate: its columns, computed by hand, and what it refuses.
# Usage: check-cross-validate.sh KTAIL
set -u
ktail=$1
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# refuses PATTERN ARGUMENT...
refuses() {
	pattern=$1
	shift
	"$ktail" sweep "$@" >stdout 2>stderr
	got=$?
	if [ "$got" != 2 ] || ! grep -q -e "$pattern" stderr || [ -s stdout ]; then
		fail "sweep $*: status $got, not 2, or not '$pattern':"
		cat stderr
	fi
}

# The machine of the other words accepts each of three equal words; x occurs in one word only.
for i in 1 2 3; do
	printf 'a\nb\na\nb\n' >same-$i.events
done
printf 'a\nb\nx\n' >other.events
"$ktail" sweep --k 0-9 --cross-validate ./*.events -o cross.tsv -o cross.json 2>stderr ||
	fail "status $?: $(cat stderr)"
[ "$(cut -f 11-13 cross.tsv | sort | uniq -c | tr -s ' \t' ' ')" = " 10 4 3 0.9333
 1 held_out accepted fitting" ] || {
	fail "columns:"
	cat cross.tsv
}
grep -q '"folds": 4' cross.json || fail "no folds in JSON"
[ "$(grep -c '"held_out": 4, "accepted": 3, "fitting": 0.9333}' cross.json)" = 10 ] ||
	fail "rows in JSON"
# The two folds, by name, are {other, same-2} and {same-1, same-3}. The machine that must accept
# other.events has no letter x.
"$ktail" sweep --k 9 --cross-validate --folds 2 ./*.events -o two.tsv 2>stderr ||
	fail "two folds: status $?"
[ "$(sed -n 2p two.tsv | cut -f 11-13 | tr '\t' ' ')" = "4 3 0.9333" ] || fail "two folds: $(cat two.tsv)"
# With a large k, a word that shares only its beginning with the others is not accepted to its end.
printf 'a\nb\na\na\n' >other.events
"$ktail" sweep --k 1-9 --cross-validate ./*.events -o far.tsv 2>stderr || fail "status $?"
[ "$(sed -n 10p far.tsv | cut -f 11-13 | tr '\t' ' ')" = "4 3 0.9375" ] || fail "far: $(cat far.tsv)"
"$ktail" sweep --k 1 ./*.events 2>/dev/null | grep -q held_out && fail "columns without --cross-validate"

refuses 'at least two words' --cross-validate other.events
refuses '--folds needs --cross-validate' --folds 3 other.events same-1.events
refuses 'folds must be a whole number' --cross-validate --folds 1 other.events same-1.events
refuses 'leave-one-out cannot be combined with --cross-validate' --cross-validate --leave-one-out other.events same-1.events

[ "$failures" = 0 ]
