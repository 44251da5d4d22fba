/* SPDX-License-Identifier: MIT */
/*
 * In a jump to a trampoline, the bytes at which an instruction of the original code
 * began must trap; see collect/preload/instructions/trampoline.h.
 */
#ifndef KTAIL_TESTS_TRAP_BYTES_H
#define KTAIL_TESTS_TRAP_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Returns whether the byte is int3, hlt, cli, sti, or a one-byte in, out, ins or outs. */
static inline bool is_trap_byte(uint8_t byte)
{
	return byte &&
	       strchr("\xcc\xf4\xfa\xfb\xec\xed\xee\xef\x6c\x6d\x6e\x6f", byte) != NULL;
}

#endif
