#!/bin/bash
# SPDX-License-Identifier: MIT
# ktail check on words by hand and on a recorded trace: reports, exit statuses, JSON.
#   check-cli.sh KTAIL TRACE
ktail=$1 trace=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out" || exit 1

fail() {
	echo "FAILED: $*"
	exit 1
}

# run STATUS ARGUMENT...: runs ktail check and checks its exit status; output in said,
# messages in error
run() {
	local want=$1
	shift
	"$ktail" check "$@" > said 2> error
	local status=$?
	[ $status = "$want" ] || { cat said error; fail "check $*: $status, not $want"; }
}

says() {
	grep -qxF -e "$1" said || { cat said; fail "it does not say '$1'"; }
}

complains() {
	grep -qF -e "$1" error || { cat error; fail "it does not complain '$1'"; }
}

printf '%s\n' a b a b a c > good.events
printf '%s\n' a b a a c > bad.events
"$ktail" --k 2 good.events -o m.json || exit 1

# Words that fit: the words of the machine, and their prefixes.
run 0 m.json good.events
says 'good: 6 letters, fits'
says 'the word fits'
: > empty.events
run 0 m.json empty.events good.events
says 'empty: 0 letters, fits'
says 'all words fit'

# Only the first letter that does not fit is reported.
run 1 m.json bad.events good.events
sed -n 1p said | grep -qx 'bad: letter 3 does not fit: a' || fail "$(cat said)"
grep -q '^    state [0-9]* expects b c$' said || fail "$(cat said)"
says '    after a b a'
says 'bad: 5 letters, does not fit'
says '1 of 2 words does not fit'

# With --all, each letter that does not fit is reported: the one in the middle is skipped,
# the last one fits again.
printf '%s\n' a b nobody a c b a > worse.events
run 1 --all m.json worse.events
[ "$(grep -c 'does not fit: ' said)" = 2 ] || fail "$(cat said)"
says 'worse: letter 2 does not fit: nobody'
says 'worse: letter 5 does not fit: b'
says '    after a b nobody a c'
grep -A1 'letter 5' said | grep -q 'expects the end of the word$' || fail "$(cat said)"
says 'worse: 7 letters, 2 misfits'
run 1 --all --limit 1 m.json worse.events
[ "$(grep -c 'does not fit: ' said)" = 1 ] || fail "$(cat said)"
says 'worse: 7 letters, 2 misfits'
run 1 --all --limit 0 -f xml m.json worse.events
grep -qF '<failure message="2 misfits"></failure>' said || fail "$(cat said)"

# A misfit with the same letter, state and preceding letters as an earlier one is reported without
# the details.
printf '%s\n' 1 2 3 4 5 6 7 8 p q p q c > long.events
"$ktail" --k 2 long.events -o long.json || exit 1
printf '%s\n' 1 2 3 4 5 6 7 8 p q x p q x p q x p q x c > again.events
run 1 --all long.json again.events
says 'again: letter 16 does not fit: x'
says 'again: letter 19 does not fit: x, as at letter 16'
[ "$(grep -c '^    after p q x p q x p q$' said)" = 1 ] || fail "$(cat said)"
[ "$(grep -c 'does not fit: x' said)" = 4 ] || fail "$(cat said)"

# Of more than 16 possible states, a misfit names only the first ones. Two misfits that name the
# same states may still expect different letters.
polls='p p p p p p p p p'
{
	for i in $(seq -w 0 15); do
		echo "s$i x $polls n$i e$i s$i y $polls n$i e$i"
	done
	echo "sA x $polls nAAA eA sB y $polls nBBB eB end"
} | tr ' ' '\n' > many.events
echo "x $polls ZZ y $polls ZZ" | tr ' ' '\n' | sed '1i #ktail cut-begin' > either.events
"$ktail" --k 11 many.events -o many.json || exit 1
run 1 --all many.json either.events
[ "$(grep -c 'does not fit: ZZ' said)" = 2 ] || fail "$(cat said)"
grep -q 'as at letter' said && fail "$(cat said)"

# A word whose beginning is truncated fits if any state can read it.
printf '%s\n' '#ktail cut-begin' b a c > cut.events
run 0 m.json cut.events
complains 'warning: 1 of 1 word is truncated'
says 'cut: 3 letters, fits (its beginning is truncated)'
sed 1d cut.events > whole.events
run 1 m.json whole.events
printf '%s\n' '#ktail cut-begin' b c > cut.events
run 1 m.json cut.events
says 'cut: letter 1 does not fit: c'
run 4 --strict m.json good.events cut.events
complains 'read good.events and 1 more: 1 of 2 words is truncated'
says 'cut: letter 1 does not fit: c'
printf '%s\n' b '#ktail cut-begin' > late.events
run 3 m.json late.events
complains "late.events:2: '#ktail cut-begin' comes after a letter"

# JSON, the words alone to standard output.
run 1 --all m.json worse.events good.events -o x.json
run 1 --all m.json worse.events good.events -o - -f json
cmp said x.json || fail "JSON differs"
grep -q '"format": "ktail-check/1"' x.json && grep -q '"misfits": 2,$' x.json &&
	grep -q '"expected": \["a"\]' x.json && grep -q '"time": null' x.json ||
	fail "$(cat x.json)"
python3 -m json.tool x.json > /dev/null 2>&1 || [ ! -x /usr/bin/python3 ] || fail "no JSON"

# SARIF: the members that its schema requires, a result for each group of misfits, whose location is
# the argument of the command line.
sarif() { # FILE RESULT...: each is "rule number line location"
	local file=$1
	shift
	jq -e '.version == "2.1.0" and (."$schema" | type == "string") and (.runs | length == 1) and
		(.runs[0].tool.driver | (.name | type == "string") and (.version | test("^[0-9]+[.]"))) and
		([.runs[0].tool.driver.rules[] | .id and .shortDescription.text] | all) and
		(.runs[0] as $run | [$run.results[] | .message.text and .level == "error" and
		.ruleId == $run.tool.driver.rules[.ruleIndex].id] | all)' "$file" > jq.out || fail "$file: $(cat "$file")"
	jq -r '.runs[0].results[] | "\(.ruleId) \(.occurrenceCount) \(.locations[0].physicalLocation |
		"\(.region.startLine) \(.artifactLocation.uri)")"' "$file" > results
	printf '%s\n' "$@" | diff - results || fail "$file: $(cat "$file")"
}
run 1 --all m.json worse.events good.events -o x.sarif -o x.xml
sarif x.sarif 'unknown-letter 1 3 worse.events' 'unexpected-letter 1 6 worse.events'
jq -r '.runs[0].results[].message.text' x.sarif > results
diff - results << 'EOF' || fail "messages"
nobody does not fit; expected: a. It is letter 2 of worse, after a; b.
b does not fit; expected: the end of the word. It is letter 5 of worse, after a; b; nobody; a; c.
EOF
run 1 --all -f sarif long.json again.events
sarif said 'unknown-letter 1 11 again.events' 'unknown-letter 1 14 again.events' 'unknown-letter 2 17 again.events'
run 1 --all --limit 1 -f sarif m.json worse.events
sarif said 'unknown-letter 1 3 worse.events' 'unlisted-misfits 1 1 worse.events'
mkdir 'a folder' && cp whole.events 'a folder/' && sed '$d' good.events > 'a folder/early.events'
tar -C 'a folder' --zstd -cf words.tar.zst .
run 1 --complete -f sarif m.json 'a folder' "$out/words.tar.zst"
sarif said 'early-end 1 5 a%20folder' 'unexpected-letter 1 1 a%20folder' \
	"early-end 1 5 file://$out/words.tar.zst" "unexpected-letter 1 1 file://$out/words.tar.zst"
run 0 -f sarif m.json good.events
jq -e '.runs[0].results == []' said > results || fail "$(cat said)"

# Words in Abbadingo's format.
"$ktail" words good.events bad.events -o words.dat 2> error || fail "$(cat error)"
run 1 --all m.json words.dat
[ "$(grep -c ' letters, ' said)" = 2 ] || fail "$(cat said)"
grep -q ': 6 letters, fits$' said && grep -q ': letter 3 does not fit: a$' said ||
	fail "$(cat said)"

# A letter of 32 MB is scanned once, as it arrives.
head -c 32000000 /dev/zero | tr '\0' x > long.events
# The limit is on CPU time, which does not depend on other load.
(ulimit -t 3 && "$ktail" check m.json long.events) > said
[ $? = 1 ] || fail "a long letter takes too long"
rm long.events said

# Invalid combinations.
run 2
run 2 m.json
run 2 m.json nothing.events
run 2 m.json good.events -o x.svg
run 2 - - < m.json
complains 'it is given twice, but can be read only once'
run 3 bad.events good.events
echo '{}' > broken.json
run 3 broken.json good.events
run 2 m.json "$trace"
complains 'does not name its alphabet; give --alphabet'

# A machine inferred from a trace says by which alphabet and unit of words traces are read.
"$ktail" --k 3 "$trace" -o t.json 2> /dev/null || exit 1
run 0 t.json "$trace"
run 0 --alphabet table1 --word process t.json "$trace"
run 2 --alphabet rm t.json "$trace"
complains 'its letters are of the alphabet table1, not of rm'
run 2 --word thread t.json "$trace"
complains 'each of its words is a process, not a thread'
run 4 --strict t.json "$trace"
run 1 --alphabet table1 m.json "$trace"
grep -qE 'does not fit: .*, 20..-..-.. ..:..:..\.......... UTC, pid [0-9]+, tid [0-9]+, event [0-9]+$' said ||
	fail "$(cat said)"

# From a pipe: reported before the end of the pipe.
mkfifo pipe
"$ktail" check m.json - < pipe > said &
exec 3> pipe
printf '%s\n' a a >&3
for _ in $(seq 100); do
	grep -q 'stdin: letter 1 does not fit: a' said && break
	sleep 0.1
done
grep -q 'stdin: letter 1 does not fit: a' said || fail "not told from a pipe"
exec 3>&-
wait $!
[ $? = 1 ] || fail "status from a pipe"
says 'stdin: 2 letters, does not fit'
