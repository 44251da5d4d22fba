/* SPDX-License-Identifier: MIT */
/*
 * Makes the memory access of a faulting instruction through another mapping of the same
 * memory and steps over the instruction, so that the pages themselves stay closed.
 * Signal-safe: allocates nothing and takes no lock. The caller holds the recorder's lock or
 * has interrupted its owner.
 */
#ifndef KTAIL_COLLECT_EMULATE_H
#define KTAIL_COLLECT_EMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/instructions/instruction.h"

/*
 * Returns the address through which [address, address + size) is reached; NULL if it is
 * not watched memory, so that the instruction may use the address itself. Sets *known =
 * false if the instruction cannot be emulated: the memory is watched in part or cannot be
 * reached.
 */
typedef void *(*kt_translate_fn)(uintptr_t address, size_t size, bool write, bool *known,
				 void *context);

/* One operand of an instruction, which has at most two (movs). */
struct kt_emulated_access {
	uintptr_t address; /* the program's address; the lowest byte accessed */
	size_t size;       /* in bytes, of all repetitions that were done */
	bool write;        /* writes; true also of read-modify-write */
	bool known;        /* `value` is what was stored: plain stores of 1 to 8 bytes */
	uint64_t value;
	unsigned wide; /* number of 8-byte units in `eights`; 0 below 16 bytes */
	uint64_t eights[8];
};

struct kt_emulated {
	unsigned n; /* accesses to watched memory, in program order */
	struct kt_emulated_access accesses[2];
};

/*
 * Emulates the faulting instruction at the context's RIP. Returns true if its access was
 * made: registers, flags and RIP are as after the instruction, and *done describes the
 * accesses. A repeated string instruction may be done in part; then RIP stays, and RCX
 * holds the remaining count. Returns false if nothing was done.
 *
 * The translated memory may belong to a truncated file (SIGBUS) if the handler of SIGBUS
 * calls kt_guard_fixup() (collect/preload/instructions/guard.h). O(size).
 */
bool kt_emulate(ucontext_t *context, kt_translate_fn translate, void *translate_context,
		struct kt_emulated *done);

#endif
