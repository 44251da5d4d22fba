#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail decode --sass: cubins and fatbins, compressed ones and damaged ones, and the output of
# nvdisasm beside the instructions.
#   check-sass.sh KTAIL DATA
ktail=$1 data=$2
program=("$ktail" decode --sass --nvdisasm none)
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/golden.sh"
cd "$data" || exit 2

# A cubin of one function, "add", is built by hand: header, code, names, section table.
# le BYTES VALUE: prints the value with its lowest byte first
le() {
	value=$2
	for _ in $(seq "$1"); do
		printf "\\x$(printf %02x $((value & 255)))"
		value=$((value >> 8))
	done
}
# section NAME TYPE OFFSET BYTES
section() {
	le 4 "$1"; le 4 "$2"; le 16 0; le 8 "$3"; le 8 "$4"; le 24 0
}
{
	printf '\177ELF\2\1\1\63\7'; le 7 0; le 2 2; le 2 190; le 4 1; le 16 0; le 8 120
	le 4 0x4b054b; le 2 64; le 4 0; le 2 64; le 2 3; le 2 2
	le 8 0x0000002004047810; le 8 0x000fce0007ffe0ff; le 8 0x0000000404087824; le 8 0x040fe200078e00ff
	printf '\0.text.add\0.strtab\0'; le 5 0
	section 0 0 0 0; section 1 1 64 32; section 11 3 96 19
} > "$out/add.cubin"
cat > "$out/sass.txt" << SASS
cubin $out/add.cubin

add, sm_75:
  0000  000fce0007ffe0ff0000002004047810  ----:B------:R-:W-:Y:S07
  0010  040fe200078e00ff0000000404087824  R---:B------:R-:W-:-:S01

SASS
expect 0 "$out/add.cubin"
cmp "$out/got" "$out/sass.txt" || fail "--sass"
expect 0 -f json "$out/add.cubin" "$out/add.cubin"
[ "$(grep -c '^{"type":"cubin","path":".*/add.cubin"}$' "$out/got")" = 2 ] || fail "--sass: paths"
[ "$(grep -c '^{"type":"instruction","function":"add","sm":75,"offset":\(0\|16\),"bytes":"0' "$out/got")" = 4 ] ||
	fail "--sass -f json"
# nvcc compiled these cubins from kernels.cu.
for arch in sm_75 sm_90; do
	golden kernels.$arch.txt kernels.$arch.cubin
done
# fatbinary put them into a fatbin, and one of them, compressed by LZ4, into another. A program is
# 64 bytes of an ELF file, and fatbins.
instructions() { grep '^  0' "$@"; }
expect 0 kernels.fatbin
cmp -s <(instructions -h kernels.sm_75.txt kernels.sm_90.txt) <(instructions "$out/got") ||
	fail "--sass kernels.fatbin"
grep -q '^cubin kernels.fatbin at 0x50$' "$out/got" || fail "--sass: where a cubin is"
expect 0 -f json kernels.fatbin
[ "$(grep -c '^{"type":"cubin","path":"kernels.fatbin","offset":[0-9]*}$' "$out/got")" = 2 ] ||
	fail "--sass: cubins of a fatbin"
head -c 6000 kernels.fatbin > "$out/cut.fatbin"
expect 3 "$out/cut.fatbin"
says '/cut.fatbin: byte 0x0: a part of a fatbin is not within it'
expect 3 listing.txt
says 'listing.txt: not a 64-bit ELF file for CUDA, and without fatbins'
expect 2 /no/such/cubin

# Compressed entries, by a ktail that was built with the libraries or without.
{ printf '\177ELF\2\1\1'; head -c 57 /dev/zero; cat kernels-lz4.fatbin kernels.fatbin; } > "$out/program"
if "$ktail" decode --version | grep -q liblz4; then
	expect 0 kernels-lz4.fatbin
	cmp -s <(instructions kernels.sm_75.txt) <(instructions "$out/got") || fail "LZ4"
	expect 0 "$out/program"
	cmp -s <(instructions -h kernels.sm_75.txt kernels.sm_75.txt kernels.sm_90.txt) \
		<(instructions "$out/got") || fail "--sass of a program"
else
	expect 3 kernels-lz4.fatbin
	says 'kernels-lz4.fatbin: no cubin to list: 0 are for GPUs older than Volta, 1 cannot be decompressed: the first, at 0x50, is compressed by LZ4, which this ktail was built without'
	expect 0 "$out/program"
	says '/program: 1 cubins are not listed: '
fi
"$ktail" decode --version | grep -q libzstd || {
	expect 3 scale.fatbin
	says 'the first, at 0x50, is compressed by zstd, which this ktail was built without'
	exit 0
}
golden scale-bytes.txt scale.fatbin

# patch NAME OFFSET BYTES VALUE: makes $out/NAME of scale.fatbin with another number at OFFSET
patch() {
	cp scale.fatbin "$out/$1"
	chmod u+w "$out/$1"
	le "$3" "$4" | dd of="$out/$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}
# refuses REASON: checks that $out/bad.fatbin is refused for it
refuses() {
	expect 3 "$out/bad.fatbin"
	says "/bad.fatbin: $1"
}
compressed='no cubin to list: 0 are for GPUs older than Volta, 1 cannot be decompressed: the first, at 0x50,'
for size in 0 1 3831 3833 963000; do
	patch bad.fatbin 72 8 $size
	refuses "$compressed is not zstd data of the size that the fatbin says"
done
for size in 964000 1073741825 $((1 << 32)) $((1 << 62)) -1; do
	patch bad.fatbin 72 8 $size
	refuses "$compressed would have more than 1 GiB, or 1,000 times its compressed size"
done
patch bad.fatbin 32 4 962 # bytes of compressed data
refuses "$compressed is not zstd data of the size that the fatbin says"
patch bad.fatbin 32 4 969
refuses 'byte 0x10: a part of a fatbin is not within it'
patch bad.fatbin 56 8 $((0x2011))
[ "$("$ktail" decode --version | grep -c liblz4)" = 0 ] ||
	refuses "$compressed is not LZ4 data of the size that the fatbin says"
patch bad.fatbin 56 8 $((0xa011))
refuses "$compressed is compressed in an unknown way"
for at in 80 84; do
	patch bad.fatbin $at 4 0xdeadbeef
	refuses "$compressed is not zstd data of the size that the fatbin says"
done

# nvdisasm prints instructions, or something else: programs that stand in for it.
# nvdisasm COMMANDS: makes the program
nvdisasm() {
	printf '#!/bin/sh\n%s\n' "$1" > "$out/bin/nvdisasm"
	chmod +x "$out/bin/nvdisasm"
}
mkdir "$out/bin"
program=("$ktail" decode --sass --nvdisasm "$out/bin/nvdisasm")
# It gets the cubin that was in the fatbin.
nvdisasm '[ $# = 2 ] && [ "$1" = -c ] && [ "$(wc -c < "$2")" = 3832 ] && head -c 4 "$2" | grep -q ELF && cat scale.sass'
golden scale.txt scale.fatbin
golden scale.json -f json scale.fatbin
[ ! -s "$out/said" ] || fail "nvdisasm: messages"
program=("$ktail" decode --sass)
PATH=$out/bin:$PATH golden scale.txt scale.fatbin
program=("$ktail" decode --sass --nvdisasm "$out/bin/nvdisasm")

# For GPUs before Hopper, it prints another directive after `.section`.
nvdisasm "sed '/section.*text/a\\\\t.sectioninfo\\t@\"SHI_REGISTERS=8\"' scale.sass"
golden scale.txt scale.fatbin
[ ! -s "$out/said" ] || fail "nvdisasm: .sectioninfo"

# fails_with MESSAGE: checks that the bytes alone are printed, with the message
fails_with() {
	golden scale-bytes.txt scale.fatbin
	says "warning: scale.fatbin: nvdisasm printed no instructions of 1 of 1 cubins: run $out/bin/nvdisasm: $1"
}
nvdisasm "printf 'nvdisasm fatal : \\033[31mSM version\\n more' >&2; exit 1"
fails_with 'it failed with exit status 1: nvdisasm fatal : ?[31mSM version'
nvdisasm 'kill -9 $$'
fails_with 'it was ended by signal 9'
nvdisasm 'exec yes'
fails_with 'it printed more than 1293824 bytes'
export KTAIL_NVDISASM_WAIT=1
nvdisasm 'cat scale.sass; exec sleep 1000'
fails_with 'it printed nothing for 1 s'
nvdisasm 'cat scale.sass; exec sleep 1000 >&- 2>&-'
fails_with 'it printed nothing for 1 s'
unset KTAIL_NVDISASM_WAIT
printf '\177ELF' > "$out/bin/nvdisasm"
fails_with 'Exec format error'
# Output of another form, of another cubin, damaged.
for text in 'head -c 100000 /dev/zero' 'echo rubbish' 'true' 'sed s/scale/other/ scale.sass' \
	'grep -v section scale.sass' 'sed "s,/,|,g" scale.sass'; do
	nvdisasm "$text"
	golden scale-bytes.txt scale.fatbin
	says 'warning: scale.fatbin: nvdisasm printed only 0 of 32 instructions in the form that is known'
done
nvdisasm 'head -n 22 scale.sass'
expect 0 scale.fatbin
cmp <(head -n 11 scale.txt; tail -n +12 scale-bytes.txt) "$out/got" || fail "nvdisasm: half of its output"
says 'nvdisasm printed only 8 of 32 instructions in the form that is known'
nvdisasm "sed 's/EXIT/\\x1b[1mEX\\xffIT/; s/L_x_0/L\\x07_x_0/' scale.sass"
expect 0 scale.fatbin
cmp <(sed 's/EXIT/?[1mEX?IT/; s/L_x_0/L?_x_0/' scale.txt) "$out/got" || fail "nvdisasm: control characters"
nvdisasm "sed 's/^.L_x_0:/&\\n.L_x_9:/' scale.sass"
expect 0 scale.fatbin
cmp <(sed 's/^.L_x_0:/.L_x_0 .L_x_9:/' scale.txt) "$out/got" || fail "nvdisasm: two labels"

# It fails on one cubin of two; there is none.
nvdisasm '[ "$(wc -c < "$2")" = 5600 ] && exit 3; sed s/_Z5scalePffi/axpy/ scale.sass'
expect 0 kernels.fatbin
says 'kernels.fatbin: nvdisasm printed no instructions of 1 of 2 cubins'
[ "$(grep -c '  @P0 EXIT$' "$out/got")" = 1 ] || fail "nvdisasm: the other cubin"
rm "$out/bin/nvdisasm"
expect 2 scale.fatbin
says "--nvdisasm: there is no program '$out/bin/nvdisasm'"
expect 2 --nvdisasm no-such-disassembler scale.fatbin
says "--nvdisasm: there is no program 'no-such-disassembler'"
program=("$ktail" decode)
expect 2 --nvdisasm none submissions
says '--nvdisasm needs --sass'
