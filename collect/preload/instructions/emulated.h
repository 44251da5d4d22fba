/* SPDX-License-Identifier: MIT */
/* What the emulation of an instruction is given, and what it says of it. */
#ifndef KTAIL_COLLECT_EMULATED_H
#define KTAIL_COLLECT_EMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/instructions/instruction.h"

#define KT_RESUME_FLAG 0x10000 /* the fault has set it; it belongs to the instruction */

/*
 * Where [address, address + size) can be reached. NULL: it is not watched memory, the
 * instruction may use the address itself. *known = false: it is watched, but there is no
 * way, or only a part of it is: the instruction cannot be emulated.
 */
typedef void *(*kt_translate_fn)(uintptr_t address, size_t size, bool write, bool *known,
				 void *context);

/* One side of an access; an instruction has at most two (movs). */
struct kt_emulated_access {
	uintptr_t address; /* as the program wrote it; the lowest byte that was touched */
	size_t size;       /* bytes; of a repeated instruction, all that was done of it */
	bool write;        /* it writes; one that reads and writes counts as writing */
	bool known;        /* value holds what was stored: plain stores of 1 to 8 bytes */
	uint64_t value;
	unsigned wide; /* stores of 16 bytes and more: so many eights are in `eights`; else
			  0 */
	uint64_t eights[8];
};

struct kt_emulated {
	unsigned n; /* accesses to watched memory, in the order in which they happened */
	struct kt_emulated_access accesses[2];
};

/* The context goes on after the instruction, which was done. */
static inline void kt_emulated_step_over(const struct kt_instruction *instruction,
					 ucontext_t *context)
{
	greg_t *registers = context->uc_mcontext.gregs;

	registers[REG_RIP] += instruction->length;
	registers[REG_EFL] &= ~(greg_t)KT_RESUME_FLAG;
}

#endif
