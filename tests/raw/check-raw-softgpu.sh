#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail raw on the software GPU: the examples have the memory that they expect, and errors
# end the run.
#   check-raw-softgpu.sh KTAIL EXAMPLES
# shellcheck disable=SC2016 # $NAME is a buffer
ktail=$1 examples=$2
program=("$ktail" softgpu "$ktail" raw)
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/../annotate/golden.sh"
cd "$out" || exit 2

for example in "$examples"/*.raw; do
	expect 0 "$example"
	[ ! -s "$out/said" ] || fail "$example: something is said"
	grep -q '^line [0-9]*: submitted [0-9]* entr.*, took [1-9][0-9]* ns$' "$out/got" ||
		fail "$example: no times"
done

# The semaphores of the example have times in order.
expect 0 "$examples/copy.raw"
times=$(sed -n 's/^\$\(before\|after\)+0x0: 0000000[12] 00000000 \(.*\) \(.*\)/0x\3\2/p' "$out/got")
# shellcheck disable=SC2086
set -- $times
(($# == 2 && $1 < $2)) || fail "times of semaphores: $times"

# Memory that is not as expected.
cat > differs.raw << 'END'
buffer a 16
set $a 1 2 3 4
expect $a 1 2
expect $a+4 2 4
print $a 16
END
expect 1 differs.raw
says 'ktail: differs.raw:4: $a+0x8 is 0x3, expected 0x4'
! grep -q '^\$a' "$out/got" || fail "the script goes on after a difference"

# A refused script submits nothing; forced, it kills the channel, and the error is decoded.
cat > fault.raw << 'END'
buffer a 16 host
4 HOPPER_DMA_COPY_A OFFSET_IN_UPPER = 0
4 HOPPER_DMA_COPY_A OFFSET_IN_LOWER = 0x1000
4 HOPPER_DMA_COPY_A OFFSET_OUT_UPPER = $a
4 HOPPER_DMA_COPY_A OFFSET_OUT_LOWER = $a
4 HOPPER_DMA_COPY_A LINE_LENGTH_IN = 16
4 HOPPER_DMA_COPY_A LAUNCH_DMA = 0x182
wait
print $a 16
END
expect 3 fault.raw
says 'ktail: fault.raw:7: the source of the copy, 16 bytes at 0x1000, is not in one buffer'
says 'ktail: fault.raw: 1 problem; nothing of it was submitted (--force submits it)'
! grep -q channel "$out/got" || fail "something was submitted"
expect 2 --force fault.raw
grep -q '^ktail: fault.raw:8: channel 0x[0-9a-f]* is dead: error 31, ' "$out/said" || fail "no line of the error"
says 'is dead: error 31, an engine accessed an address that is not mapped'
! grep -q '^\$a' "$out/got" || fail "the script goes on after an error"

# A method that the engine does not know, and one that the host does not.
echo '1 HOPPER_COMPUTE_A 0x3000 = 0' > illegal.raw
expect 3 illegal.raw
says 'illegal.raw:1: HOPPER_COMPUTE_A 0x3000 has no public name'
expect 2 --force illegal.raw
says "is dead: error 11, an engine's class does not have the method"
echo '0 HOPPER_CHANNEL_GPFIFO_A CLEAR_FAULTED = 0' > host.raw
expect 3 host.raw
expect 2 --force host.raw
says 'is dead: error 32, the host refused a ring entry, a header or a method'

# A semaphore that is never released: the wait ends.
cat > forever.raw << 'END'
buffer s 16 host
0 HOPPER_CHANNEL_GPFIFO_A SEM_ADDR_LO = $s
0 HOPPER_CHANNEL_GPFIFO_A SEM_ADDR_HI = $s
0 HOPPER_CHANNEL_GPFIFO_A SEM_PAYLOAD_LO = 1
0 HOPPER_CHANNEL_GPFIFO_A SEM_PAYLOAD_HI = 0
0 HOPPER_CHANNEL_GPFIFO_A SEM_EXECUTE
        OPERATION = ACQUIRE
END
expect 2 --timeout 200 forever.raw
says 'ktail: forever.raw:2: wait for submission '
says 'not done after 200 ms'

# Many submissions: more than the ring has entries, and more dwords than there is room for.
{
	echo 'buffer a 16384'
	for i in {1..700}; do
		echo "doorbell
		1 HOPPER_COMPUTE_A LINE_LENGTH_IN = 8192
		1 HOPPER_COMPUTE_A LINE_COUNT = 1
		1 HOPPER_COMPUTE_A OFFSET_OUT_UPPER = \$a
		1 HOPPER_COMPUTE_A OFFSET_OUT = \$a
		1 HOPPER_COMPUTE_A LAUNCH_DMA = 0x41
		1 HOPPER_COMPUTE_A LOAD_INLINE_DATA = $i"
		for ((j = 1; j < 2048; j += 23)); do
			printf '%08x ' $((i + j)) {1..22}
			echo
		done
	done
	echo 'wait
	expect $a 700 701 1 2
	print $a 96'
} > many.raw
expect 0 many.raw
[ "$(grep -c '^line' "$out/got")" = 700 ] || fail "many submissions: $(grep -c '^line' "$out/got")"

# All at once: several entries for one doorbell, with entries that do nothing between.
cat > entries.raw << 'END'
buffer a 32 low
doorbell
entry level subroutine sync wait
4 HOPPER_DMA_COPY_A OFFSET_OUT_UPPER = $a
4 HOPPER_DMA_COPY_A OFFSET_OUT_LOWER = $a+16
entry NOP 0x5
entry
4 HOPPER_DMA_COPY_A OFFSET_IN_UPPER = $a
4 HOPPER_DMA_COPY_A OFFSET_IN_LOWER = $a
4 HOPPER_DMA_COPY_A LINE_LENGTH_IN = 16
PB HDR IMMD data=0x182 subch=4 addr_dw=0xc0
END
sed -i '1a set $a 1 2 3 4' entries.raw
echo 'wait
same $a $a+16 16
print $a 32' >> entries.raw
expect 0 entries.raw
[ "$(grep -c '^\$a+0x0: 00000001 00000002 00000003 00000004 00000001' "$out/got")" = 1 ] || fail "entries"

# What libcuda has.
expect 0 -v entries.raw
[ "$(grep -c '^channel .* HOPPER_COMPUTE_A HOPPER_DMA_COPY_A  ring 0x.* 1024 entries  GP_PUT [1-9].*  token 0x[0-9a-f]*$' "$out/said")" = 4 ] ||
	fail "channels"
grep -q '^mapping 0x.* HOPPER_USERMODE_A$' "$out/said" || fail "mappings"

# No driver.
program=("$ktail" raw)
expect 2 --library ./libnothing.so entries.raw
says 'load ./libnothing.so: '
