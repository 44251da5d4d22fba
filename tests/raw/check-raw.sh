#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests ktail raw without a device: golden dwords of scripts, messages for malformed ones, and what
# the checks refuse.
#   check-raw.sh KTAIL DATA EXAMPLES TRACE
# shellcheck disable=SC2016 # $NAME is a buffer
ktail=$1 data=$2 examples=$3 trace=$4
program=("$ktail" raw)
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/../annotate/golden.sh"
cd "$data" || exit 2

golden edited.txt --dry-run edited.raw
golden written.txt --dry-run --force written.raw
# A launch by libcuda on an H200: addresses in methods, data and QMDs are moved.
"$ktail" decode --raw --from 0.2598 "$trace" | sed -n '/^doorbell 185 /,/submitted/p' > "$out/launch"
cat launch.head "$out/launch" > "$out/launch.raw"
golden launch.txt --dry-run --force "$out/launch.raw"
# It schedules a QMD of an earlier submission.
expect 3 --dry-run "$out/launch.raw"
says 'launch.raw: 2 problems'
says 'the contents of a dependent of the QMD at 0x200800800 are not in these commands'
grep -v 'move .* \$q$' "$out/launch.raw" > "$out/lost.raw"
expect 3 --dry-run "$out/lost.raw"
says 'the QMD, 384 bytes at 0x204e0c000, is not in one buffer'
says 'a dependent of the QMD, 384 bytes at 0x204e0c800, is not in one buffer'

for example in "$examples"/*.raw; do
	expect 0 --dry-run "$example"
	[ ! -s "$out/said" ] || fail "$example: something is said"
done

# What the program says of a script: says_of STATUS MESSAGE, with the script on standard input.
says_of() {
	cat > "$out/script.raw"
	cd "$out" || exit 2
	expect "$1" --dry-run script.raw
	[ -z "$2" ] || says "$2"
	cd "$data" || exit 2
}

# Unknown names, with the nearest one, at their line and column.
says_of 3 "script.raw:1:3: no class 'HOPPER_DMA_COPY'; did you mean 'HOPPER_DMA_COPY_A'?" <<< \
	'4 HOPPER_DMA_COPY LAUNCH_DMA = 1'
says_of 3 "script.raw:1:21: HOPPER_DMA_COPY_A has no method 'LAUNCH_DMB'; did you mean 'LAUNCH_DMA'?" <<< \
	'4 HOPPER_DMA_COPY_A LAUNCH_DMB = 1'
says_of 3 "script.raw:2:3: LAUNCH_DMA has no field 'FLUSH_ENABEL'; did you mean 'FLUSH_ENABLE'?" << 'END'
4 HOPPER_DMA_COPY_A LAUNCH_DMA
  FLUSH_ENABEL = TRUE
END
says_of 3 "script.raw:2:18: FLUSH_ENABLE has no value 'TREU'; did you mean 'TRUE'?" << 'END'
4 HOPPER_DMA_COPY_A LAUNCH_DMA
  FLUSH_ENABLE = TREU
END
says_of 3 "script.raw:1:1: no statement 'bufer'; did you mean 'buffer'?" <<< 'bufer a 16'
says_of 3 "script.raw:2:40: no buffer 'buffre' above; did you mean 'buffer'?" << 'END'
buffer buffer 16
4 HOPPER_DMA_COPY_A OFFSET_IN_LOWER = $buffre
END
says_of 3 "script.raw:1:21: SET_MME_SHADOW_SCRATCH has the elements 0 to 255" <<< \
	'1 HOPPER_COMPUTE_A  SET_MME_SHADOW_SCRATCH(256) = 1'

says_of 3 "script.raw:1:4: expected a dword" <<< '12:'

# Edits that contradict each other.
says_of 3 "script.raw:2:3: FLUSH_ENABLE is 0x1 here, but 0x0 in the value of LAUNCH_DMA" << 'END'
4 HOPPER_DMA_COPY_A LAUNCH_DMA = 0x182
  FLUSH_ENABLE = 0x1 TRUE
END
says_of 3 "script.raw:2:22: FALSE is 0x0" << 'END'
4 HOPPER_DMA_COPY_A LAUNCH_DMA
  FLUSH_ENABLE = 0x1 FALSE
END
says_of 3 "script.raw:1:28: OFFSET_IN_LOWER is at 0x0404, not 0x0400, which is OFFSET_IN_UPPER" <<< \
	'4 HOPPER_DMA_COPY_A 0x0400 OFFSET_IN_LOWER = 1'
says_of 3 "script.raw:2:34: by the header in line 1 this dword goes to subchannel 4, 0x0400, not to 4, 0x0404" << 'END'
      0: 0x20048100  PB HDR INC count=4 subch=4 addr_dw=0x100 (byte 0x400)
      1: 0x00000000  4 0xc8b5    0x0404 = 0
END
says_of 3 "script.raw:3:13: 1 more dword has to come of the header in line 1" << 'END'
PB HDR INC count=2 subch=4 addr_dw=0x100
4 HOPPER_DMA_COPY_A OFFSET_IN_UPPER = 0
         PB HDR INC count=1 subch=4 addr_dw=0x100
END
says_of 3 "script.raw:1:17: the dword has no header above it" <<< \
	'  1: 0x00000000 4 HOPPER_DMA_COPY_A OFFSET_IN_UPPER = 0'
says_of 3 "0x2000 does not fit into the 13 bits of IMMD" << 'END'
PB HDR IMMD data=0 subch=1 addr_dw=0x61
1 HOPPER_COMPUTE_A LINE_COUNT = 0x2000
END

# Other mistakes.
says_of 3 "script.raw:1:39: 0x100000000 has more than 32 bits" <<< \
	'4 HOPPER_DMA_COPY_A OFFSET_IN_LOWER = 0x100000000'
says_of 3 "script.raw:2:34: this method takes no address by its name" << 'END'
buffer a 16
4 HOPPER_DMA_COPY_A LAUNCH_DMA = $a
END
says_of 3 "script.raw:2:39: '\$a+20' is outside of \$a, which has 16 bytes" << 'END'
buffer a 16
4 HOPPER_DMA_COPY_A OFFSET_IN_LOWER = $a+20
END
says_of 3 "script.raw:2:12: only 8 bytes of \$a are from there on" << 'END'
buffer a 16
print $a+8 12
END
says_of 3 "there is a buffer 'a' already" << 'END'
buffer a 16
buffer a 16
END
says_of 3 "script.raw:1:1: a submission without an entry" <<< 'doorbell'
says_of 3 "script.raw:1:1: an entry has 1 to 2097151 dwords, this one 0" <<< 'entry'
says_of 3 "dwords of this entry were not recorded" <<< \
	'  entry 0: 0x0000100000003000  0x3000  4 dwords  level main  sync proceed  unread: no mapping'
says_of 3 "list it without --data" <<< '             12 dwords of data not shown'
says_of 3 "script.raw:1:1: no statement 'xyz'" <<< 'xyz 1 2 3'

says_of 3 "script.raw:2:6: expected a recorded address, not '\$a'" << 'END'
buffer a 16
move $a 16 $a
END
says_of 3 "script.raw:2:13: only 16 bytes of \$a are from there on" << 'END'
buffer a 16
move 0x1000 17 $a
END
# One upper half for two addresses that are moved to different buffers.
says_of 3 "script.raw:5: one half of 0x200001000 is used for another address, too" << 'END'
buffer a 16
buffer b 16
move 0x200000000 16 $a
move 0x200001000 16 $b
4 HOPPER_DMA_COPY_A OFFSET_IN_UPPER = 2
4 HOPPER_DMA_COPY_A OFFSET_IN_LOWER = 0
4 HOPPER_DMA_COPY_A OFFSET_IN_LOWER = 0x1000
END

# What the checks refuse.
says_of 3 "script.raw: 1 problem; nothing of it was submitted (--force submits it)" <<< \
	'4 HOPPER_DMA_COPY_A SET_SRC_PHYS_MODE = 0'
says "script.raw:1: HOPPER_DMA_COPY_A 0x0260 SET_SRC_PHYS_MODE is not among the methods of engines that are checked"
says_of 3 "script.raw:5: the destination of the copy, 4097 bytes at 0x200000000, is not in one buffer" << 'END'
buffer a 4096
4 HOPPER_DMA_COPY_A OFFSET_OUT_UPPER = $a
4 HOPPER_DMA_COPY_A OFFSET_OUT_LOWER = $a
4 HOPPER_DMA_COPY_A LINE_LENGTH_IN = 4097
4 HOPPER_DMA_COPY_A LAUNCH_DMA = 0x182
END
says_of 3 "script.raw:9: the source of the copy, 5120 bytes at 0x200000000, is not in one buffer" << 'END'
buffer a 4096
4 HOPPER_DMA_COPY_A OFFSET_IN_UPPER = $a
4 HOPPER_DMA_COPY_A OFFSET_IN_LOWER = $a
4 HOPPER_DMA_COPY_A OFFSET_OUT_UPPER = $a
4 HOPPER_DMA_COPY_A OFFSET_OUT_LOWER = $a
4 HOPPER_DMA_COPY_A PITCH_IN = 4096
4 HOPPER_DMA_COPY_A LINE_LENGTH_IN = 1024
4 HOPPER_DMA_COPY_A LINE_COUNT = 2
4 HOPPER_DMA_COPY_A LAUNCH_DMA = 0x382
END
says_of 3 "script.raw:1: HOPPER_CHANNEL_GPFIFO_A 0x0084 CLEAR_FAULTED is not among the host methods" <<< \
	'0 HOPPER_CHANNEL_GPFIFO_A CLEAR_FAULTED = 0'
says_of 3 "script.raw:1: HOPPER_CHANNEL_GPFIFO_A 0x0034 MEM_OP_D does a memory operation that needs a privilege" << 'END'
0 HOPPER_CHANNEL_GPFIFO_A MEM_OP_D
  OPERATION = MMU_TLB_INVALIDATE
END
says_of 0 "" << 'END'
0 HOPPER_CHANNEL_GPFIFO_A MEM_OP_D
  OPERATION = MEMBAR
END
says_of 3 "script.raw:1: SET_OBJECT binds AMPERE_COMPUTE_A (0xc6c0), of which the channel has no object" <<< \
	'1 HOPPER_CHANNEL_GPFIFO_A SET_OBJECT = 0xc6c0'
says_of 3 "script.raw:1: subchannel 3 has no class bound, not HOPPER_COMPUTE_A" <<< \
	'3 HOPPER_COMPUTE_A NO_OPERATION = 0'
says_of 3 "script.raw:1: 1 more dword to come of the last header" << 'END'
PB HDR INC count=1 subch=4 addr_dw=0x100
END
says_of 3 "script.raw:1: this dword is not a header" <<< 'c0000000'
says_of 3 "a control entry other than NOP" <<< 'entry SET_EXTENDED_BASE 0x1'
says_of 3 "script.raw:4: the contents of the QMD at 0x200000000 are not in these commands" << 'END'
buffer q 4096 low
doorbell
1 HOPPER_COMPUTE_A SEND_PCAS_A = $q
1 HOPPER_COMPUTE_A SEND_SIGNALING_PCAS2_B = 0xa
END

# Usage.
expect 2
says "no script given"
expect 2 --dry-run nothing.raw
says "open nothing.raw"
