/* SPDX-License-Identifier: MIT */
/*
 * Gives readable names to those letters of the built-in alphabets that contain numbers or
 * roles of memory (ktail-alphabet(5)). For numbers, the names consist of names that NVIDIA
 * has published. Allocates nothing.
 */
#ifndef KTAIL_DECODE_LETTER_NAMES_H
#define KTAIL_DECODE_LETTER_NAMES_H

#define KT_LETTER_NAME 128 /* size of the buffer for a name, with its NUL */

/*
 * Returns the name of a letter, in `buffer` or static; NULL if no name is known or the
 * letter is readable as it is. `letter` may be any text. O(commands).
 *
 *   ioctl:0x2a             NV_ESC_RM_CONTROL
 *   ioctl:0x2a/0x205       NV_ESC_RM_CONTROL GPU_GET_ID_INFO_V2
 *   ioctl:0x2b/0xc8b5      NV_ESC_RM_ALLOC HOPPER_DMA_COPY_A
 *   ioctl:0x2a/0xdead      NV_ESC_RM_CONTROL 0xdead
 *   ioctl:uvm:0x21         UVM_MAP_EXTERNAL_ALLOCATION
 *   map:0x90f1             map:FERMI_VASPACE_A
 *   W:put                  write GP_PUT
 *
 * No two letters have the same name. The short name of a command is the part of NVIDIA's
 * name after _CTRL_CMD_ or _CTRL_. The short name is used unless another command has the
 * same short name; then the name is NVIDIA's whole name. If the whole names are also equal,
 * because the two numbers belong to different releases, the name is the short name,
 * followed by the number. If the meaning of a number depends on the release, the newest
 * meaning gives the name.
 */
const char *kt_letter_name(const char *letter, char buffer[static KT_LETTER_NAME]);

#endif
