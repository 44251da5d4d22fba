/* SPDX-License-Identifier: MIT */
/*
 * What a person reads instead of a letter of the built-in alphabets that has numbers in it
 * (ktail-alphabet(5)): by the names that NVIDIA has published. Nothing allocates.
 */
#ifndef KTAIL_DECODE_LETTER_NAMES_H
#define KTAIL_DECODE_LETTER_NAMES_H

#define KT_LETTER_NAME 128 /* bytes that the longest name takes */

/*
 * The name of a letter, in `buffer` or static; NULL: it has none, or is readable as it is.
 *
 *   ioctl:0x2a             NV_ESC_RM_CONTROL
 *   ioctl:0x2a/0x205       NV_ESC_RM_CONTROL GPU_GET_ID_INFO_V2
 *   ioctl:0x2b/0xc8b5      NV_ESC_RM_ALLOC HOPPER_DMA_COPY_A
 *   ioctl:0x2a/0xdead      NV_ESC_RM_CONTROL 0xdead
 *   ioctl:uvm:0x21         UVM_MAP_EXTERNAL_ALLOCATION
 *   map:0x90f1             map:FERMI_VASPACE_A
 *
 * The name of a command begins after its _CTRL_CMD_ or _CTRL_; if another command is called
 * so, too, it is whole, and if they share the whole name (their numbers are those of
 * different releases) the number follows. So no two letters have one name. Where releases
 * differ, the youngest one's meaning counts. Any text may be given. O(commands).
 */
const char *kt_letter_name(const char *letter, char buffer[static KT_LETTER_NAME]);

#endif
