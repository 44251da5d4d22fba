#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests observer-effect.sh on the software GPU: the script finds that wrappers change only the
# number of polls, finds real differences, and refuses invalid arguments.
# Usage: test-observer-effect.sh PROJECT BUILD
set -u
project=$1
build=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
tab=$(printf '\t')

fail() {
	echo "FAIL: $*"
	sed 's/^/  stderr: /' "$work/err"
	failures=$((failures + 1))
}

# effect STATUS ARGUMENT...: runs observer-effect.sh and checks its exit status.
effect() {
	expected=$1
	shift
	KTAIL=$build/bin/ktail "$project/corpus/observer-effect.sh" "$@" >"$work/out" \
		2>"$work/err"
	status=$?
	[ "$status" -eq "$expected" ] || fail "observer-effect.sh $*: status $status, not $expected"
}

says() {
	grep -qF -- "$1" "$work/err" || fail "standard error lacks '$1'"
}

effect 0 --out "$work/oe" --times 2 --ways 'none wrap' --only 'vadd-4k' -- --softgpu
head -1 "$work/oe/counts.tsv" | grep -qF "none_least${tab}none_largest${tab}wrap_least" ||
	fail "counts.tsv has no head"
awk -F "$tab" '$2 == "table1" && $3 == "W:reg" { n += $4 > 0 && $4 == $7 && $5 == $6 }
	END { exit n != 1 }' "$work/oe/counts.tsv" || fail "doorbells are not the same"
awk -F "$tab" '$3 ~ /^(ioctl|map|unmap|submit)/ && ($4 != $5 || $4 != $6 || $4 != $7)' \
	"$work/oe/counts.tsv" >"$work/odd"
[ ! -s "$work/odd" ] || fail "wrappers change the driver: $(cat "$work/odd")"
[ "$(awk 'END { print NR }' "$work/oe/machines.tsv")" -eq 3 ] || fail "machines.tsv has not 2 rows"
[ "$(awk 'END { print NR }' "$work/oe/words.tsv")" -eq 3 ] || fail "words.tsv has not 2 rows"

# A ktail that records another version of the driver, except with --api=wrap, so that two ways of
# recording really differ.
cat >"$work/ktail" <<TEXT
#!/bin/sh
case "\$*" in
*--api=wrap*) exec "$build/bin/ktail" "\$@" ;;
record*) shift; exec "$build/bin/ktail" record --softgpu-driver 1 "\$@" ;;
esac
exec "$build/bin/ktail" "\$@"
TEXT
chmod +x "$work/ktail"
KTAIL=$work/ktail KTAIL_WORKLOADS=$build/bin/corpus "$project/corpus/observer-effect.sh" \
	--out "$work/two" --times 2 --ways 'none wrap' --only graphs-10 -- --softgpu \
	>"$work/out" 2>"$work/err" || fail "two drivers: status $?"
grep -q "^graphs-10${tab}table1${tab}W:reg${tab}" "$work/two/differs.tsv" ||
	fail "other doorbells were not found"
grep -q "^graphs-10${tab}wrap${tab}[0-9]*${tab}0$" "$work/two/words.tsv" ||
	fail "other words were taken for the same"

effect 2 --times 0
says "must be a whole number above 0, not '0'"
effect 2 --ways 'none magic'
says "not 'magic'"
effect 2 --only nothing
says "there is no workload 'nothing'"
effect 2 --k
says '--k needs an argument'
effect 0 --help

[ "$failures" -eq 0 ]
