#!/bin/bash
# SPDX-License-Identifier: MIT
# Records a vector addition on the software GPU, takes the copies and the launch from the trace, edits
# them and submits them raw: the memory is as expected.
#   check-raw-recorded.sh PROGRAMS
# shellcheck disable=SC2016 # $NAME is a buffer
PATH=$1:$1/corpus:$PATH
here=$(cd "$(dirname "$0")" && pwd)
program=(ktail)
# shellcheck source=tests/annotate/golden.sh
. "$here/../annotate/golden.sh"
cd "$out" || exit 2

ktail record --softgpu -o trace -- vadd --size 64 > "$out/said" 2>&1 || fail "record"
ktail decode --raw trace > whole || fail "decode"
ktail decode --brief trace > brief || fail "decode --brief"

# The addresses: of the code, the vectors, the launch's memory, the staging memory, a semaphore.
address() { # PATTERN FIELD: a field of the first line of the brief listing with the pattern
	awk -v pattern="$1" -v field="$2" '$0 ~ pattern { sub(",$", "", $field); print $field; exit }' brief
}
code=$(address 'upload of code' 4)
slot=$(address '=> launch' 4)
staging=$(address '=> copy-direct' 5)
sum=$(address '=> copy-direct' 3)
semaphore=$(address '=> semaphore-release' 3)
read -r first second <<< "$(awk '/copy-inline .* 256 bytes/ { sub(",$", "", $4); printf "%s ", $4 }' brief)"
[[ $code && $slot && $staging && $sum && $semaphore && $first && $second ]] || fail "addresses: $(cat brief)"

# From the upload of the code to the copy of the sum; a semaphore of the script in place of libcuda's.
{
	printf 'buffer %s\n' 'code 4096' 'a 256' 'b 256' 'c 256' 'slot 4096 low' 'host 256 host' 's 16 host'
	printf 'move %s %s %s\n' "$code" 768 '$code' "$first" 256 '$a' "$second" 256 '$b' "$sum" 256 '$c' \
		"$slot" 1280 '$slot' "$staging" 256 '$host' "$semaphore" 16 '$s'
	sed -n '/^doorbell 5 /,/^doorbells:/p' whole
	echo 'wait'
	printf 'print $%s 256\n' a b c
	echo 'same $c $host 256'
	echo 'expect $s 6'
} > script.raw
expect 0 softgpu ktail raw script.raw
[ "$(grep -c '^line [0-9]*: submitted 1 entry' "$out/got")" = 5 ] || fail "submissions: $(cat "$out/got")"

# sums N: checks that c = a + b for the first N elements, and 0 for the others
sums() {
	local a b c
	for name in a b c; do
		read -r -d '' -a "$name" <<< "$(sed -n "s/^\\\$$name+0x[0-9a-f]*: //p" "$out/got")"
	done
	[ "${#c[@]}" = 64 ] || fail "elements: ${#c[@]}"
	for ((i = 0; i < 64; i++)); do
		want=$((i < $1 ? 0x${a[i]} + 0x${b[i]} & 0xffffffff : 0))
		((0x${c[i]} == want)) || fail "element $i: ${c[i]}, expected $(printf %08x $want)"
	done
	[ "${a[1]}" != "${b[1]}" ] || fail "vectors: ${a[1]} ${b[1]}"
}
sums 64
cp "$out/got" all

# Edited: only 32 elements, and other data in the first vector.
awk '/LOAD_INLINE_DATA = / && ++n == 2 { sub(/ = 0x[0-9a-f]*/, " = 0x12345678") }
	/LOAD_INLINE_DATA = 0x100$/ { launch = 1 }
	launch && sub(/ 00000040$/, " 00000020") { launch = 0 }
	{ print }' script.raw > edited.raw
cmp -s script.raw edited.raw && fail "nothing was edited"
expect 0 softgpu ktail raw edited.raw
grep -q '^\$a+0x0: 12345678 ' "$out/got" || fail "edited data: $(grep '^\$a+0x0' "$out/got")"
sums 32

# An address that is not moved is refused.
grep -v '^move .* \$s$' script.raw > lost.raw
expect 3 softgpu ktail raw lost.raw
says 'the semaphore, 16 bytes at '
grep -v '^move .* \$code$' script.raw > lost.raw
expect 3 softgpu ktail raw lost.raw
says "the destination of the inline data, 768 bytes at $code, is not in one buffer"
says "the program of the QMD, 16 bytes at $code, is not in one buffer"
grep -v '^move .* \$slot$' script.raw > lost.raw
expect 3 softgpu ktail raw lost.raw
says "the QMD, 384 bytes at $slot, is not in one buffer"
says 'a constant bank of the QMD, 768 bytes at '
