/* SPDX-License-Identifier: MIT */
/*
 * Makes the recorder's own accesses to device memory: executes the operation of the
 * program's instruction on another mapping of that memory. If the memory is missing (a
 * truncated file), the SIGBUS is caught and the functions below return false. x86-64.
 */
#ifndef KTAIL_COLLECT_GUARD_H
#define KTAIL_COLLECT_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* For each action, in this order, guard.c holds four pieces of code, one for each width. */
enum kt_guard_action {
	KT_STORE,  /* memory = value */
	KT_LOAD,   /* value = memory; 1 or 2 bytes: keeps the rest of value */
	KT_ADD_TO, /* from here to KT_NOT: memory = memory op value, and similar */
	KT_OR_TO,
	KT_ADC_TO,
	KT_SBB_TO,
	KT_AND_TO,
	KT_SUB_TO,
	KT_XOR_TO,
	KT_XADD,
	KT_CMPXCHG,
	KT_XCHG,
	KT_CMP_TO,
	KT_TEST,
	KT_INC,
	KT_DEC,
	KT_NEG,
	KT_NOT,
	KT_ADD_FROM, /* from here to KT_XOR_FROM: value = value op memory */
	KT_OR_FROM,
	KT_ADC_FROM,
	KT_SBB_FROM,
	KT_AND_FROM,
	KT_SUB_FROM,
	KT_XOR_FROM,
	KT_CMP_FROM,
	KT_LOCKED, /* from here on: KT_ADD_TO .. KT_CMPXCHG, KT_INC .. KT_NOT, with lock */
	KT_MOVS = KT_LOCKED + 13, /* string instructions with a rep prefix */
	KT_STOS,
	KT_LODS,
};

/* Registers that an action reads and writes. */
struct kt_guard_values {
	uint64_t value;
	uint64_t flags; /* in: the carry flag in bit 0; out: RFLAGS */
	uint64_t rax;
};

/*
 * Executes one action on `width` bytes (1, 2, 4 or 8); not for string instructions. Returns
 * false if the memory is missing.
 */
bool kt_guard_do(enum kt_guard_action action, unsigned width, void *memory,
		 struct kt_guard_values *values);

/*
 * Copies `width` bytes (16, 32 or 64) by one load and one store. The processor must have
 * vector registers of this width.
 */
bool kt_guard_copy(unsigned width, void *to, const void *from);

/*
 * Executes a load or store of 16 or 32 bytes on the processor's vector register 0 to 15
 * itself. `clears_above`: a load of 16 bytes clears the rest of the register. Changes no
 * other vector register. Returns false if the memory is missing.
 */
bool kt_guard_vector(bool store, unsigned width, bool clears_above, unsigned number,
		     void *memory);

/*
 * Copies n units of 16 bytes, each by one load and one store. Avoids string instructions,
 * which are slow in a thread with a watchpoint and may read device memory byte by byte.
 */
bool kt_guard_copy_many(void *to, const void *from, size_t n);

/*
 * Runs a string instruction on n elements of 1, 2, 4 or 8 bytes, upwards or downwards from
 * `to` and `from`. If it returns false, some elements may have been processed.
 */
bool kt_guard_string(enum kt_guard_action action, unsigned width, void *to,
		     const void *from, size_t n, uint64_t *rax, bool down);

/*
 * For the handler of SIGBUS and SIGSEGV: if one of the functions above faulted, makes the
 * context continue where that function returns false, and returns true. Signal-safe.
 */
bool kt_guard_fixup(ucontext_t *context);

#endif
