/* SPDX-License-Identifier: MIT */
/*
 * Does the memory access of an instruction that has faulted, through another mapping of the
 * same memory, and steps over the instruction: the pages themselves stay closed. Safe in
 * signal handlers: no allocation, no lock of its own. The recorder's lock is held.
 */
#ifndef KTAIL_COLLECT_EMULATE_H
#define KTAIL_COLLECT_EMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/instructions/instruction.h"

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
	unsigned wide; /* stores of 16 bytes and more: this many units of 8 bytes are in
			  `eights`; else
			  0 */
	uint64_t eights[8];
};

struct kt_emulated {
	unsigned n; /* accesses to watched memory, in the order in which they happened */
	struct kt_emulated_access accesses[2];
};

/*
 * The instruction at the context's RIP has faulted. true: its access was made, registers,
 * flags and RIP are as after it, *done says what was touched. A repeated string
 * instruction may be done in part: then RIP stays and its count is what is left. false:
 * nothing was done. The other memory may be cut short (SIGBUS) if the handler of that
 * signal calls kt_guard_fixup() (collect/preload/instructions/guard.h). O(size).
 */
bool kt_emulate(ucontext_t *context, kt_translate_fn translate, void *translate_context,
		struct kt_emulated *done);

#endif
