#!/bin/sh
# SPDX-License-Identifier: MIT
# The committed machines equal make-truth's output for driver.points, every reader of fsm.json
# accepts them, and the two versions differ as expected.
# Usage: test-truth.sh MAKE-TRUTH CHECK-TRUTH KTAIL-RENDER FOLDER-OF-SOFTGPU
set -u
make_truth=$1
check_truth=$2
render=$3
softgpu=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL: $*"
	failures=$((failures + 1))
}

# status N COMMAND...: requires this exit status; output in $work/out and $work/err.
status() {
	expected=$1
	shift
	"$@" >"$work/out" 2>"$work/err"
	found=$?
	[ "$found" -eq "$expected" ] || {
		fail "$*: status $found, not $expected"
		cat "$work/out" "$work/err"
	}
}

# Up to date, and the same each time.
for version in 2 1; do
	committed=$softgpu/truth.json
	[ "$version" -eq 2 ] || committed=$softgpu/truth-version-1.json
	status 0 "$make_truth" --set version=$version "$softgpu/truth/driver.points" \
		-o "$work/made-$version.json"
	cmp "$work/made-$version.json" "$committed" ||
		fail "$committed is not what driver.points gives: build the target 'truth'"
done
status 0 "$make_truth" "$softgpu/truth/driver.points" -o "$work/default.json"
cmp -s "$work/default.json" "$work/made-2.json" || fail "version 2, by dma, is not the default"

status 0 "$make_truth" --alphabet roles "$softgpu/truth/driver.points" -o "$work/roles.json"
cmp "$work/roles.json" "$softgpu/truth-roles.json" ||
	fail "truth-roles.json is not what driver.points gives: build the target 'truth'"
status 0 "$make_truth" --alphabet table1 "$softgpu/truth/driver.points" -o "$work/default.json"
cmp -s "$work/default.json" "$work/made-2.json" || fail "table1 is not the default"

# One machine for each transfer method, all of them different.
for transfer in mapped window chunk1; do
	status 0 "$make_truth" --set transfer=$transfer "$softgpu/truth/driver.points" \
		-o "$work/$transfer.json"
	cmp -s "$work/$transfer.json" "$work/made-2.json" && fail "$transfer is like dma"
done

# Modules with stacks have program points of their own, but no words that other calls do not give.
status 0 "$make_truth" --set stacks=yes "$softgpu/truth/driver.points" -o "$work/stacks.json"
cmp -s "$work/stacks.json" "$work/made-2.json" && fail "stacks make no difference"
status 0 "$check_truth" --tsv "$work/made-2.json" --only-in "$work/stacks.json"
[ ! -s "$work/out" ] || fail "modules with stacks give words of their own"

# Drawing.
status 0 "$render" "$work/made-2.json" -o "$work/truth.svg" -o "$work/truth.dot"
[ ! -s "$work/err" ] || fail "the drawing was not made in the usual way: $(cat "$work/err")"
grep -q '[a-z_]*:[0-9]*: read semaphores (sys)' "$work/truth.svg" || fail "no program points in the drawing"
status 0 "$render" --no-collapse -f dot "$work/made-1.json"
grep -q 'not inferred' "$work/out" || fail "the legend does not say that it was not inferred"

# Specific to version 1: another doorbell without a new poll of the progress semaphore.
status 1 "$check_truth" --tsv "$work/made-2.json" --only-in "$work/made-1.json"
[ "$(tail -n 2 "$work/out" | tr '\n' ' ')" = 'W:reg W:sys ' ] || {
	fail "the shortest word that only version 1 accepts does not end with W:reg W:sys:"
	cat "$work/out"
}
cp "$work/out" "$work/only-1.events"
status 0 "$check_truth" "$work/made-1.json" "$work/only-1.events"
status 1 "$check_truth" "$work/made-2.json" "$work/only-1.events"
grep -q 'does not fit: W:sys' "$work/out" || fail "check-truth does not say what does not fit"
status 0 "$check_truth" --tsv "$work/made-1.json" --only-in "$work/made-2.json"
[ ! -s "$work/out" ] || fail "version 2 does what version 1 does not"

# check-truth on words with known results.
cat >"$work/tiny.points" <<'POINTS'
memory semaphores many sys
procedure main
	ioctl 0x1
	repeat {
		read semaphores
		doorbell
	}
	call end
procedure end
	ioctl 0x2
POINTS
status 0 "$make_truth" "$work/tiny.points" -o "$work/tiny.json"
mkdir "$work/words"
printf 'ioctl:0x1\nR:sys\nW:reg\nR:sys\nW:reg\n' >"$work/words/good.events"
status 0 "$check_truth" --tsv "$work/tiny.json" "$work/words"
tab=$(printf '\t')
cat >"$work/expected" <<TSV
word${tab}good${tab}5${tab}accepted${tab}5
words${tab}1${tab}1
transitions${tab}3${tab}4
points${tab}3${tab}4
procedure${tab}main${tab}3${tab}3
procedure${tab}end${tab}0${tab}1
point${tab}end:10: ioctl 0x2
uncovered${tab}1${tab}ioctl:0x2${tab}3${tab}end:10: ioctl 0x2
TSV
diff "$work/expected" "$work/out" || fail "coverage is not the expected one"
printf 'ioctl:0x1\nR:sys\nioctl:0x2\n' >"$work/words/bad.events"
status 1 "$check_truth" "$work/tiny.json" "$work/words"
for text in 'letter 3 does not fit: ioctl:0x2' 'before it: ioctl:0x1 R:sys' \
	'main:6: doorbell' 'words accepted: 1 of 2'; do
	grep -qF "$text" "$work/out" || fail "check-truth does not say '$text'"
done
# Letters of roles: each doorbell has its poll before the next one, or is one without.
status 0 "$make_truth" --alphabet roles "$work/tiny.points" -o "$work/tiny-roles.json"
rm "$work/words/bad.events"
printf 'ioctl:0x1\nR:other\nW:doorbell:unpolled\nR:other\n' >"$work/words/good.events"
status 0 "$check_truth" "$work/tiny-roles.json" "$work/words"
sed 's/many sys/many sys semaphore/' "$work/tiny.points" >"$work/tiny-2.points"
status 0 "$make_truth" --alphabet roles "$work/tiny-2.points" -o "$work/tiny-roles.json"
cat >"$work/words/good.events" <<'WORD'
ioctl:0x1
R:semaphore
W:doorbell
R:poll
W:doorbell:unpolled
R:semaphore
W:doorbell:unpolled
ioctl:0x2
WORD
status 0 "$check_truth" "$work/tiny-roles.json" "$work/words"
grep -q '^program points covered: 4 of 4' "$work/out" || fail "roles: points are not covered"
sed 's/R:poll/R:semaphore/' "$work/words/good.events" >"$work/words/bad.events"
status 1 "$check_truth" "$work/tiny-roles.json" "$work/words"
grep -q 'letter 4 does not fit: R:semaphore' "$work/out" || fail "roles: a doorbell has no poll"
printf 'ioctl:0x1\nR:sys\nW:reg\n' >"$work/words/good.events"
# A truncated word may begin at any state that fits; an unknown letter never fits.
printf '#ktail cut-begin\nW:reg\nioctl:0x2\n' >"$work/words/bad.events"
status 0 "$check_truth" "$work/tiny.json" "$work/words"
printf 'R:moon\n' >"$work/words/bad.events"
status 1 "$check_truth" "$work/tiny.json" "$work/words"

# Usage.
status 2 "$check_truth" "$work/tiny.json"
status 2 "$check_truth" "$work/missing" "$work/words"
status 2 "$make_truth" --set version=3 "$softgpu/truth/driver.points"
status 2 "$make_truth" --alphabet rm "$softgpu/truth/driver.points"
status 2 "$make_truth"
status 2 "$make_truth" "$work/missing"
printf 'nonsense\n' >"$work/bad.points"
status 3 "$make_truth" "$work/bad.points" -o "$work/none.json"
[ ! -e "$work/none.json" ] || fail "a file was left behind"
grep -q "bad.points:1: 'nonsense' is not a statement" "$work/err" || fail "no file and line"
[ "$failures" -eq 0 ]
