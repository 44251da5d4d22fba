/* SPDX-License-Identifier: MIT */
/*
 * Gives readable names to letters of the built-in alphabets that contain numbers
 * (ktail-alphabet(5)). The names consist of names that NVIDIA has published. Allocates
 * nothing.
 */
#ifndef KTAIL_DECODE_LETTER_NAMES_H
#define KTAIL_DECODE_LETTER_NAMES_H

#define KT_LETTER_NAME 128 /* size of the buffer for a name, with its NUL */

/*
 * Returns the name of a letter, in `buffer` or static; NULL if the letter has none or is
 * readable as it is. `letter` may be any text. O(commands).
 *
 *   ioctl:0x2a             NV_ESC_RM_CONTROL
 *   ioctl:0x2a/0x205       NV_ESC_RM_CONTROL GPU_GET_ID_INFO_V2
 *   ioctl:0x2b/0xc8b5      NV_ESC_RM_ALLOC HOPPER_DMA_COPY_A
 *   ioctl:0x2a/0xdead      NV_ESC_RM_CONTROL 0xdead
 *   ioctl:uvm:0x21         UVM_MAP_EXTERNAL_ALLOCATION
 *   map:0x90f1             map:FERMI_VASPACE_A
 *
 * No two letters have the same name. The name of a command is the part of NVIDIA's name
 * after _CTRL_CMD_ or _CTRL_. If another command has the same part, the name is NVIDIA's
 * whole name. If another command has the same whole name, because the two numbers belong to
 * different releases, the name is the part, followed by the number. If the meaning of a
 * number depends on the release, the name is that of the newest release.
 */
const char *kt_letter_name(const char *letter, char buffer[static KT_LETTER_NAME]);

#endif
