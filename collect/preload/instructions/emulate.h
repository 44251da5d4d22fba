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
 * Returns the address through which [address, address + size) is reached. Returns NULL if
 * the range is not watched memory, so that the instruction may use `address` itself.
 * Returns NULL and sets *known = false if the instruction cannot be emulated, because only
 * part of the range is watched memory or because the range cannot be reached.
 */
typedef void *(*kt_translate_fn)(uintptr_t address, size_t size, bool write, bool *known,
				 void *context);

/*
 * What an instruction did to watched memory at one of its operands. Only movs has two such
 * operands.
 */
struct kt_emulated_access {
	uintptr_t address; /* of the lowest byte accessed, as the program sees it */
	size_t size;       /* bytes accessed by all repetitions that were done */
	bool write;        /* also true for read-modify-write */
	bool known;        /* `value` holds the 1 to 8 bytes that were stored */
	uint64_t value;
	unsigned wide; /* elements used in `eights`; 0 if the access is below 16 bytes */
	uint64_t eights[8];
};

struct kt_emulated {
	unsigned n; /* number of elements used in `accesses`, which are in program order */
	struct kt_emulated_access accesses[2];
};

/*
 * Emulates the faulting instruction at the context's RIP. Returns true if its access was
 * made: registers, flags and RIP are then as after the instruction, and *done describes the
 * accesses. If only a part of a repeated string instruction was done, RIP stays, and RCX
 * holds the remaining count. Returns false if nothing was done.
 *
 * If the translated memory belongs to a truncated file, the access raises SIGBUS; the
 * handler of SIGBUS must call kt_guard_fixup() (collect/preload/instructions/guard.h).
 * O(size).
 */
bool kt_emulate(ucontext_t *context, kt_translate_fn translate, void *translate_context,
		struct kt_emulated *done);

/* Returns whether the instruction moves 16 or 32 bytes of a vector register 0 to 15. */
bool kt_emulate_is_whole_vector(const struct kt_instruction *instruction);

/*
 * Like kt_emulate(), for a decoded instruction of a general form or a move of a whole
 * vector. The context has only general registers; vector registers are in *vectors.
 */
bool kt_emulate_decoded(const struct kt_instruction *instruction, ucontext_t *context,
			struct kt_saved_vectors *vectors, kt_translate_fn translate,
			void *translate_context, struct kt_emulated *done);

/*
 * Performs the operation of a general form on the memory at `memory`, in place of its
 * memory operand, and sets access->known and access->value. RIP stays. Returns false, and
 * changes nothing, if the memory is missing. Executes no vector instruction, so it may run
 * while the vector registers are the program's.
 */
bool kt_emulate_operation(const struct kt_instruction *instruction, ucontext_t *context,
			  void *memory, struct kt_emulated_access *access);

#endif
