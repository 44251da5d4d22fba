/* SPDX-License-Identifier: MIT */
/* What a jump to a trampoline has where an instruction began, see
 * collect/preload/instructions/trampoline.h. */
#ifndef KTAIL_TESTS_TRAP_BYTES_H
#define KTAIL_TESTS_TRAP_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* int3; hlt, cli, sti, in and out of one byte. */
static inline bool is_trap_byte(uint8_t byte)
{
	return byte &&
	       strchr("\xcc\xf4\xfa\xfb\xec\xed\xee\xef\x6c\x6d\x6e\x6f", byte) != NULL;
}

#endif
