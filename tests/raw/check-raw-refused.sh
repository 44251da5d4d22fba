#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests what ktail raw refuses without --force: commands that reach memory beside the script's
# buffers, or of which this is not known.
#   check-raw-refused.sh KTAIL DATA TRACE
# shellcheck disable=SC2016 # $NAME is a buffer
ktail=$1 data=$2 trace=$3
program=("$ktail" raw)
# shellcheck source=tests/annotate/golden.sh
. "$(dirname "$0")/../annotate/golden.sh"
cd "$out" || exit 2
shopt -s lastpipe # a failure at a pipe's end ends the script

# The script on standard input is refused for the reason; or, without a reason, it is not refused.
refused() {
	cat > script.raw
	expect $(($# ? 3 : 0)) --dry-run script.raw
	[ $# = 0 ] || says "script.raw:$1"
}

# --- methods ---

# Methods of the compute class that name memory by other means, or emit methods.
for method in SET_MME_MEM_ADDRESS_A MME_DMA_WRITE MME_DMA_READ MME_DMA_REDUCTION LOAD_MME_INSTRUCTION_RAM \
	'CALL_MME_MACRO(0)' 'CALL_MME_DATA(0)' SET_NOTIFY_A NOTIFY SET_QMD_VIRTUALIZATION_BASE_A \
	SET_QMD_VIRTUALIZATION_CONTROL SET_TRAP_HANDLER_A PERFMON_TRANSFER SET_RENDER_ENABLE_A \
	SET_SHADER_LOCAL_MEMORY_A SET_TEX_HEADER_POOL_A SET_DST_ORIGIN_BYTES_X; do
	refused 1: <<< "1 HOPPER_COMPUTE_A $method = 0"
	says "${method%(*} is not among the methods of engines that are checked"
done
for method in SET_ENCRYPT_AUTH_TAG_ADDR_UPPER SET_ENCRYPT_IV_ADDR_LOWER SET_DECRYPT_AUTH_TAG_COMPARE_ADDR_UPPER \
	SET_SECURE_COPY_MODE SET_RENDER_ENABLE_A SET_MONITORED_FENCE_SIGNAL_ADDR_BASE_UPPER PM_TRIGGER; do
	refused "1: HOPPER_DMA_COPY_A 0x" <<< "4 HOPPER_DMA_COPY_A $method = 0"
	says "$method is not among the methods of engines that are checked"
done

# Operations that the decoder does not know.
for operation in 1 2 TRAP; do
	refused '2: HOPPER_COMPUTE_A 0x1b0c SET_REPORT_SEMAPHORE_D does something that is not checked' <<< \
		"buffer s 16
1 HOPPER_COMPUTE_A SET_REPORT_SEMAPHORE_D
	OPERATION = $operation"
done
refused '1: HOPPER_COMPUTE_A 0x0168 REPORT_SEMAPHORE_EXECUTE does something' << 'END'
1 HOPPER_COMPUTE_A REPORT_SEMAPHORE_EXECUTE
	OPERATION = TRAP
END
refused '1: HOPPER_CHANNEL_GPFIFO_A 0x006c SEM_EXECUTE does something' <<< '0 HOPPER_CHANNEL_GPFIFO_A SEM_EXECUTE = 7'
refused '1: HOPPER_COMPUTE_A 0x02c0 SEND_SIGNALING_PCAS2_B does something' << 'END'
1 HOPPER_COMPUTE_A SEND_SIGNALING_PCAS2_B
	PCAS_ACTION = PREFETCH
END
refused << 'END'
1 HOPPER_COMPUTE_A SEND_SIGNALING_PCAS2_B
	PCAS_ACTION = NOP
1 HOPPER_COMPUTE_A INVALIDATE_SKED_CACHES = 0
4 HOPPER_DMA_COPY_A NOP = 0
END

# --- copies ---

copy() { # FROM-UPPER FROM-LOWER TO LINE...: the lines and a LAUNCH_DMA by the last one
	echo "4 HOPPER_DMA_COPY_A OFFSET_IN_UPPER = $1
4 HOPPER_DMA_COPY_A OFFSET_IN_LOWER = $2
4 HOPPER_DMA_COPY_A OFFSET_OUT_UPPER = $3
4 HOPPER_DMA_COPY_A OFFSET_OUT_LOWER = $3
4 HOPPER_DMA_COPY_A LINE_LENGTH_IN = 4"
	shift 3
	printf '4 HOPPER_DMA_COPY_A %s\n' "$@"
}
remap='SET_REMAP_COMPONENTS
	DST_X = SRC_X
	COMPONENT_SIZE = FOUR
	NUM_SRC_COMPONENTS = FOUR
	NUM_DST_COMPONENTS = ONE'
{ echo 'buffer a 16'; copy '$a' '$a' '$a' 'LAUNCH_DMA = 0x182'; } | refused
{ echo 'buffer a 16'; copy 0 0 '$a' 'LAUNCH_DMA = 0x182'; } |
	refused '7: the source of the copy, 4 bytes at 0x0, is not in one buffer'
{ echo 'buffer a 16'; copy '$a' '$a' '$a' "$remap" 'LAUNCH_DMA = 0x582'; } |
	refused '12: the source of the copy, 64 bytes at 0x200000000, is not in one buffer'
{ echo 'buffer a 16'; copy 0 0 '$a' "${remap/SRC_X/CONST_A}" 'LAUNCH_DMA = 0x582'; } | refused
{
	echo 'buffer a 64'
	copy '$a' '$a' '$a' 'PITCH_IN = 4' 'PITCH_OUT = 0x1000000' 'LINE_COUNT = 2'
	echo '1 HOPPER_COMPUTE_A PITCH_OUT = 4
4 HOPPER_DMA_COPY_A LAUNCH_DMA = 0x382'
} | refused '11: the destination of the copy, 16777220 bytes at 0x200000000, is not in one buffer'
{ echo 'buffer a 16'; copy '$a' '$a' '$a' 'LINE_COUNT = 1' 'PITCH_IN = 4' 'LAUNCH_DMA = 0x382'; } |
	refused '9: LAUNCH_DMA needs PITCH_OUT, which the script does not write'
{ echo 'buffer a 16'; copy '$a' '$a' '$a' 'LAUNCH_DMA = 0x582'; } |
	refused '7: LAUNCH_DMA needs SET_REMAP_COMPONENTS'
refused '2: LAUNCH_DMA needs LINE_LENGTH_IN' << 'END'
buffer a 16
4 HOPPER_DMA_COPY_A LAUNCH_DMA = 0x182
END
{ echo 'buffer a 16'; copy '$a' '$a' '$a' 'LAUNCH_DMA = 0x183'; } |
	refused '7: this DATA_TRANSFER_TYPE is not checked'
# The registers are those of the object that is bound.
{
	echo 'buffer a 16'
	copy '$a' '$a' '$a' 'LAUNCH_DMA = 0x182'
	echo '4 HOPPER_CHANNEL_GPFIFO_A SET_OBJECT = 0xc8b5
4 HOPPER_DMA_COPY_A LAUNCH_DMA = 0x182'
} | refused '9: LAUNCH_DMA needs LINE_LENGTH_IN'

# --- inline data ---

upload() { # LENGTH LINES PITCH LAUNCH DWORDS: inline data to $a
	echo "buffer a 64
1 HOPPER_COMPUTE_A LINE_LENGTH_IN = $1
1 HOPPER_COMPUTE_A LINE_COUNT = $2
1 HOPPER_COMPUTE_A OFFSET_OUT_UPPER = \$a
1 HOPPER_COMPUTE_A OFFSET_OUT = \$a
1 HOPPER_COMPUTE_A PITCH_OUT = $3
1 HOPPER_COMPUTE_A LAUNCH_DMA = $4
1 HOPPER_COMPUTE_A LOAD_INLINE_DATA = 1"
	for ((i = 1; i < $5; i++)); do echo 22222222; done
}
upload 4 2 60 0x41 2 | refused
upload 4 2 64 0x41 2 | refused '7: the destination of the inline data, 68 bytes at 0x200000000, is not in one buffer'
upload 4 2 0x1000000 0x41 2 | refused '7: the destination of the inline data, 16777220 bytes at 0x200000000'
upload 4 1 0 0x40 1 | refused '7: DST_MEMORY_LAYOUT is not PITCH: the extent is not checked'
upload 32 1 0 0x41 2 | refused '7: 6 more dwords of inline data to come of the LAUNCH_DMA in line 7'
upload 4 1 0 0x41 2 | refused '9: inline data without a LAUNCH_DMA'
{ upload 8 1 0 0x41 1; echo '1 HOPPER_COMPUTE_A NO_OPERATION = 0'; } |
	refused '9: 1 more dword of inline data to come of the LAUNCH_DMA in line 7'
upload 4 1 0 0x41 1 | grep -v PITCH_OUT | refused
upload 4 2 60 0x41 2 | grep -v PITCH_OUT | refused '6: LAUNCH_DMA needs PITCH_OUT'
upload 4 1 0 0x61 1 | refused '8: LOAD_INLINE_DATA needs SET_I2M_SEMAPHORE_A'

# --- entries, headers and objects ---

refused '1: SET_SUB_DEV_MASK makes devices ignore methods' <<< 'PB HDR SET_SUB_DEV_MASK mask=0x0'
refused '2: USE_SUB_DEV_MASK makes devices ignore methods' << 'END'
4 HOPPER_DMA_COPY_A NOP = 0
PB HDR USE_SUB_DEV_MASK
END
refused '1: this header has bits that have no name' <<< '20019040 00000000'
refused '1: SET_OBJECT = 0x1fcbc0 has more than a class' <<< '1 HOPPER_CHANNEL_GPFIFO_A SET_OBJECT = 0x1fcbc0'
refused << 'END'
1 HOPPER_CHANNEL_GPFIFO_A SET_OBJECT = 0xcbc0
1 HOPPER_COMPUTE_A NO_OPERATION = 0
END
refused '1: whether a conditional entry is read is not checked' << 'END'
entry conditional
4 HOPPER_DMA_COPY_A NOP = 0
END
refused '1: this entry has bits that have no name' << 'END'
entry 0 at 0x0: 0x0000090200000000
4 HOPPER_DMA_COPY_A NOP = 0
END

# --- semaphores ---

host() { # BYTES FIELD...: a release by the host
	echo "buffer s $1 host
0 HOPPER_CHANNEL_GPFIFO_A SEM_ADDR_LO = \$s
0 HOPPER_CHANNEL_GPFIFO_A SEM_ADDR_HI = \$s
0 HOPPER_CHANNEL_GPFIFO_A SEM_PAYLOAD_LO = 1
0 HOPPER_CHANNEL_GPFIFO_A SEM_PAYLOAD_HI = 0
0 HOPPER_CHANNEL_GPFIFO_A SEM_EXECUTE
	OPERATION = RELEASE"
	shift
	printf '\t%s\n' "$@"
}
host 4 | refused
host 8 'PAYLOAD_SIZE = 64BIT' | refused
host 4 'PAYLOAD_SIZE = 64BIT' | refused '6: the semaphore, 8 bytes at 0x200000000, is not in one buffer'
host 12 'RELEASE_TIMESTAMP = EN' | refused '6: the semaphore, 16 bytes at'
host 4 | grep -v SEM_ADDR_HI | refused '5: SEM_EXECUTE needs SEM_ADDR_HI, which the script does not write'
refused '5: the semaphore, 8 bytes at' << 'END'
buffer s 4 host
4 HOPPER_DMA_COPY_A SET_SEMAPHORE_A = $s
4 HOPPER_DMA_COPY_A SET_SEMAPHORE_B = $s
4 HOPPER_DMA_COPY_A SET_SEMAPHORE_PAYLOAD = 1
4 HOPPER_DMA_COPY_A LAUNCH_DMA
	SEMAPHORE_TYPE = RELEASE_SEMAPHORE_NO_TIMESTAMP
	SEMAPHORE_PAYLOAD_SIZE = TWO_WORD
END
says 'script.raw:5: LAUNCH_DMA needs SET_SEMAPHORE_PAYLOAD_UPPER'
for size in ONE_WORD:4 TWO_WORDS:8 FOUR_WORDS:16; do
	refused "5: the semaphore, ${size#*:} bytes at 0x200000001" << END
buffer s 4 host
1 HOPPER_COMPUTE_A SET_REPORT_SEMAPHORE_ADDRESS_UPPER = 2
1 HOPPER_COMPUTE_A SET_REPORT_SEMAPHORE_ADDRESS_LOWER = 1
1 HOPPER_COMPUTE_A SET_REPORT_SEMAPHORE_PAYLOAD_LOWER = 1
1 HOPPER_COMPUTE_A REPORT_SEMAPHORE_EXECUTE
	OPERATION = RELEASE
	STRUCTURE_SIZE = SEMAPHORE_${size%:*}
END
done

# --- QMDs ---

# inline_qmd ADDRESS DWORD=VALUE...: an inline QMD without a program; others of its dwords
inline_qmd() {
	echo "1 HOPPER_COMPUTE_A SET_INLINE_QMD_ADDRESS_A = $1>>40|0x40000000
1 HOPPER_COMPUTE_A SET_INLINE_QMD_ADDRESS_B = $1>>8"
	shift
	local i dword value
	for ((i = 0; i < 96; i++)); do
		value=$((i == 18 ? 0x40 : 0))
		for dword; do
			[ "${dword%%=*}" != $i ] || value=${dword#*=}
		done
		echo "1 HOPPER_COMPUTE_A LOAD_INLINE_QMD_DATA($i) = $value"
	done
}
{ echo 'buffer q 384 low'; inline_qmd '$q'; } | refused
{ echo 'buffer q 380 low'; inline_qmd '$q'; } | refused '99: the QMD, 384 bytes at 0x200000000, is not in one buffer'
{ echo 'buffer q 384 low'; inline_qmd '$q' | grep -v 'DATA(7)'; } |
	refused '98: LOAD_INLINE_QMD_DATA needs LOAD_INLINE_QMD_DATA'
# A release at the end of the QMD: FOUR_WORDS, ONE_WORD, TWO_WORDS.
for size in 0:16 1:4 2:8; do
	bytes=${size#*:}
	release() { # DISTANCE of the semaphore from the end of $s
		printf 'buffer %s\n' 'q 384 low' 's 16'
		inline_qmd '$q' "10=$((1 | ${size%:*} << 1))" "20=lo(\$s+$((16 - $1)))" '21=hi($s)'
	}
	release "$bytes" | refused
	release $((bytes - 4)) | refused "100: a semaphore of the QMD, $bytes bytes at 0x20020"
done
# A dependent, which is scheduled when the first QMD completes.
dependent() { # DWORD=VALUE...: of the dependent
	printf 'buffer %s\n' 'q 1024 low' 's 16'
	[ $# = 0 ] || inline_qmd '$q+512' "$@"
	inline_qmd '$q' 11=0x30000 '14=$q+512>>8'
}
dependent 0=0 | refused
dependent | refused '100: the contents of a dependent of the QMD at 0x200000200 are not in these commands'
dependent 10=3 20=0x1000 | refused '198: a semaphore of the QMD, 4 bytes at 0x1000, is not in one buffer'
dependent 11=0x30000 '14=$q+512>>8' | refused
dependent 0=0 | sed 's/q 1024/q 892/' | refused '198: a dependent of the QMD, 384 bytes at 0x200000200, is not in one buffer'

# A QMD that is overwritten between its upload and its launch.
"$ktail" decode --raw --from 0.2598 "$trace" | sed -n '/^doorbell 185 /,/submitted/p' > launch
cat "$data/launch.head" launch > launch.raw
at=$(grep -n 'PB HDR INC count=1 subch=1 addr_dw=0xad' launch.raw | sed -n '2s/:.*//p')
for change in 'fill $q 512 0xffffffff' 'set $q+380 1' "$(copy '$a' '$a' '$q' 'LAUNCH_DMA = 0x182')"; do
	sed "${at}r /dev/stdin" launch.raw <<< "$change" > changed.raw
	sed -n "${at}p" launch.raw > header
	sed -i "${at}d" changed.raw
	n=$(wc -l <<< "$change")
	sed -i "$((at + n - 1))r header" changed.raw
	expect 3 --dry-run changed.raw
	says 'the contents of the QMD at 0x200800000 are not in these commands'
done
sed "${at}i fill \$q+512 512 0xffffffff" launch.raw > changed.raw
expect 3 --dry-run changed.raw
! grep -q 'contents of the QMD at' said || fail "a QMD beside what is written"

# --- bits of addresses that a dword does not take ---

refused '2:34: 0x200000080 of $q has bits that this dword does not take' << 'END'
buffer q 512 low
1 HOPPER_COMPUTE_A SEND_PCAS_A = $q+128
END
refused '5:1: 0x200000010 of $q has bits that this dword does not take' << 'END'
buffer q 4096 low
move 0x200800000 512 $q+16
doorbell
entry
1 HOPPER_COMPUTE_A SEND_PCAS_A = 0x2008000
END
refused '2:41: 0x200000002 of $q has bits that this dword does not take' << 'END'
buffer q 512
0 HOPPER_CHANNEL_GPFIFO_A SEM_ADDR_LO = $q+2
END
refused << 'END'
buffer q 512 low
1 HOPPER_COMPUTE_A SEND_PCAS_A = $q+128>>8
1 HOPPER_COMPUTE_A SEND_PCAS_A = $q+256
0 HOPPER_CHANNEL_GPFIFO_A SEM_ADDR_LO = $q+4
0 HOPPER_CHANNEL_GPFIFO_A SEM_ADDR_HI = $q+4
END
# A dependent in a QMD, moved to where a QMD cannot lie.
sed 's/\$q$/$q+16/' launch.raw | sed 's/^move 0x204e0c000 0x10000/move 0x204e0c000 0x8000/' > changed.raw
expect 3 --dry-run changed.raw
says 'of $q has bits that this dword does not take'

# --- what a line has too much, and lines that are nothing ---

refused '1:41: '"'64' is one word too many" <<< '4 HOPPER_DMA_COPY_A LINE_LENGTH_IN = 32 64 garbage'
refused "2:22: 'FALSE' is one word too many" << 'END'
4 HOPPER_DMA_COPY_A LAUNCH_DMA
	FLUSH_ENABLE = TRUE FALSE junk
END
refused "2:24: 'FALSE' is one word too many" << 'END'
4 HOPPER_DMA_COPY_A LAUNCH_DMA
	FLUSH_ENABLE = 1 TRUE FALSE
END
refused "3:2: UPPER is a part of the address in the line above; remove one of both" << 'END'
buffer q 512 low
4 HOPPER_DMA_COPY_A OFFSET_IN_UPPER = $q
	UPPER = 77
END
refused "4:2: UPPER is a part of the address" << 'END'
buffer q 512 low
PB HDR INC count=1 subch=4 addr_dw=0x100
0x00007f81 4 HOPPER_DMA_COPY_A OFFSET_IN_UPPER = $q
	UPPER = 0x7f82
END
refused << 'END'
buffer q 512 low
PB HDR INC count=1 subch=4 addr_dw=0x100
0x00007f81 4 HOPPER_DMA_COPY_A OFFSET_IN_UPPER = $q
	UPPER = 0x7f81
END
# After the totals of a listing, lines are read as before them.
"$ktail" decode --from 0.2598 "$trace" | sed -n '/^submissions:/,$p' > totals
[ "$(wc -l < totals)" -ge 6 ] || fail "totals"
refused < totals
refused '3:1: no statement '"'wiat'" << 'END'
doorbells: 186, 0 of them without an entry
entries: 186, 0 of them control, 0 without a known doorbell
wiat
END
refused '2: HOPPER_DMA_COPY_A 0x0260' << 'END'
doorbells: 186, 0 of them without an entry
4 HOPPER_DMA_COPY_A SET_SRC_PHYS_MODE = 0
END
# Lines of a listing have its form.
for line in 'release $s payload 1' 'not now' 'constants 0x10' 'QMD FIELD 7' 'nothing at all' 'device: on' \
	'submitted: all' 'doorbells: many' 'release 0x10 payload 1 more' 'arguments none'; do
	refused "1:1: no statement '${line%% *}'" <<< "$line"
done
refused << 'END'
             constants 0: 0x7f81fc280000, 528 bytes
             release 0x204637f3c payload 5
             QMD QMD_TYPE = 0x2 GRID_CTA
             QMD CONSTANT_BUFFER_VALID(3) = 0x1 TRUE
    not decoded: 3 from an unknown header on
             arguments 0x7f81fc280210, 12 bytes:
             f1e00000 00007f81
             f1e04000
END
refused '3:2: this is not among the dwords of the arguments' << 'END'
 arguments 0x7f81fc280210, 8 bytes:
 f1e00000 00007f81
 f1e04000
END
refused '2:11: this is not among the dwords of the arguments' << 'END'
 arguments 0x7f81fc280210, 8 bytes:
 f1e00000 junk
END

# --- QMDs that the device reads otherwise than they were checked ---

{ echo 'buffer q 384 low'; inline_qmd '$q' 18=0x24; } |
	refused '99: the QMD at 0x200000000 has version 2.4, which HOPPER_COMPUTE_A does not have'
for change in 'set $q+8 1' 'fill $q+380 4 1'; do
	{ echo 'buffer q 384 low'; inline_qmd '$q'; echo "$change"; } |
		refused '100: this overwrites a QMD that may not have run yet; wait before it'
	{ echo 'buffer q 384 low'; inline_qmd '$q'; echo wait; echo "$change"; } | refused
done
{ echo 'buffer q 388 low'; inline_qmd '$q'; echo 'set $q+384 1'; } | refused
