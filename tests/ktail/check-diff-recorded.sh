#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail diff on recordings of both versions of the software GPU's driver: behaviour that only
# one machine has is due to the true cause, to polling, or to merged states; two recordings of one
# version are reported as the same program.
#   check-diff-recorded.sh BUILD CHECK-TRUTH SOFTGPU
build=$1 check_truth=$2 softgpu=$3
ktail=$build/bin/ktail
for needed in "$build/lib/ktail-softgpu/libktail-softgpu.so" "$build/lib/ktail-softgpu/libcuda.so.1"; do
	[ -e "$needed" ] || { echo "no $needed"; exit 77; }
done
# shellcheck source=tests/cli.sh
. "${0%/*}/../cli.sh"

# record VERSION NAME WORKLOAD ARGUMENT...
record() {
	local version=$1 name=$2 program=$build/bin/corpus/$3
	shift 3
	timeout 120 "$ktail" record --softgpu --softgpu-driver "$version" --subbuf-size 262144 \
		--num-subbuf 4 -o "$name" -- "$program" "$@" > record.out 2>&1 ||
		{ cat record.out; fail "record $name"; exit 1; }
}

# differ STATUS ARGUMENT...
differ() {
	local expected=$1
	shift
	"$ktail" diff "$@" > stdout
	local status=$?
	[ $status = "$expected" ] || { fail "diff $*: status $status, not $expected"; cat stdout; }
}

for run in a b; do
	for version in 1 2; do
		record $version graphs-$version$run graphs --nodes 50
	done
done
record 1 vadd-1 vadd --size 4096
record 2 vadd-2 vadd --size 4096

# Two recordings of one version are equal, or polling explains their difference. Without polls, they
# are equal for each k.
for version in 1 2; do
	for k in 5 20 40; do
		"$ktail" diff --k $k graphs-${version}a graphs-${version}b > stdout
		case $? in
		0) ;;
		1) tr -s '\n ' ' ' < stdout | grep -qE "They differ only in (where and )?how often R:(sys|reg).* come.*: (if runs count as one,|without (it|them)) the words are the same|the machines are the same (if runs of|without) R:(sys|reg)" ||
			{ fail "k $k: not explained"; cat stdout; } ;;
		*) fail "k $k: diff fails" ;;
		esac
		differ 0 --k $k --without R:sys --without R:reg graphs-${version}a graphs-${version}b
	done
done

# seen old|new: prints the sequences that only this machine has and that words contain, one per
# line, as "SEQUENCE (...)"
seen() {
	sed -n "/^What only the $1 machine does/,/^\$/s/^  \(.* (from .*, seen .*)\)\$/\1/p" stdout
}

# Two versions: except for polls, what only the old machine does has a single cause, and the
# new machine does nothing that the old one does not.
for more in '' '--old vadd-1 --new vadd-2'; do
	# shellcheck disable=SC2086 # $more is options
	differ 1 --k 20 --runs R:sys --runs R:reg graphs-1a graphs-2a $more
	seen old > old.txt
	seen new > new.txt
	[ "$(sed 's/ (.*//' old.txt)" = 'W:reg W:sys' ] ||
		{ fail "the cause is not the true one:"; cat stdout; }
	[ -s new.txt ] && { fail "the new version does more:"; cat stdout; }
done

# Each word that only one machine accepts, polls included, has one of three reasons. Both versions'
# truths accept the word (this run polled differently), or only the truth of version 1 does (the
# true cause), or neither does (states were merged).
differ 1 --k 20 graphs-1a graphs-2a --old vadd-1 --new vadd-2 -o words.json
mkdir words
n=0
while IFS= read -r line; do
	n=$((n + 1))
	printf '%s\n' "$line" | sed 's/^ *"word": \[//; s/\]}.*$//; s/", "/\n/g; s/"//g' > words/$n.events
done < <(grep '^       "word": \[' words.json)
[ $n -gt 0 ] || fail "no word tells the machines apart"
for word in words/*.events; do
	mkdir one && cp "$word" one
	"$check_truth" "$softgpu/truth-version-1.json" one > /dev/null; first=$?
	"$check_truth" "$softgpu/truth.json" one > /dev/null; second=$?
	rm -r one
	case $first$second in
	01) tr '\n' ' ' < "$word" | grep -q 'W:reg W:sys' ||
		{ fail "a word of version 1 alone, and not for its doorbells:"; cat "$word"; } ;;
	10) fail "a word of version 2 alone"; cat "$word" ;;
	esac
	echo "$word: $first $second"
done
[ "$failures" -eq 0 ]
