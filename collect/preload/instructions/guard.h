/* SPDX-License-Identifier: MIT */
/*
 * The only places where the recorder itself touches device memory: the same instruction
 * that the program wanted, on another mapping. That memory may be gone (a file cut short):
 * then the SIGBUS is undone and the operation reports failure. x86-64.
 */
#ifndef KTAIL_COLLECT_GUARD_H
#define KTAIL_COLLECT_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* guard.c holds one piece of code for each, in this order and in four widths. */
enum kt_guard_action {
	KT_STORE,  /* memory = value */
	KT_LOAD,   /* value = memory; narrow ones keep the rest of the value */
	KT_ADD_TO, /* memory = memory op value, and similar */
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
	KT_ADD_FROM, /* value = value op memory */
	KT_OR_FROM,
	KT_ADC_FROM,
	KT_SBB_FROM,
	KT_AND_FROM,
	KT_SUB_FROM,
	KT_XOR_FROM,
	KT_CMP_FROM,
	KT_LOCKED, /* from here on KT_ADD_TO .. KT_CMPXCHG, KT_INC .. KT_NOT once more */
	KT_MOVS = KT_LOCKED + 13, /* the string instructions, repeated */
	KT_STOS,
	KT_LODS,
};

/* The registers that an action reads and writes. */
struct kt_guard_values {
	uint64_t value;
	uint64_t flags; /* in: the carry flag in bit 0; out: RFLAGS */
	uint64_t rax;
};

/* One action but the string ones, `width` 1, 2, 4 or 8 bytes wide. false: no such memory.
 */
bool kt_guard_do(enum kt_guard_action action, unsigned width, void *memory,
		 struct kt_guard_values *values);

/* One load and one store of 16, 32 or 64 bytes, which the processor must have. */
bool kt_guard_copy(unsigned width, void *to, const void *from);

/*
 * n times 16 bytes, one load and one store at a time. Not a string instruction: those are
 * slow in a thread with a watchpoint, and may read device memory byte by byte.
 */
bool kt_guard_copy_many(void *to, const void *from, size_t n);

/*
 * A string instruction for n elements of 1, 2, 4 or 8 bytes, from the given ones upwards
 * or down. On failure a part may have been done.
 */
bool kt_guard_string(enum kt_guard_action action, unsigned width, void *to,
		     const void *from, size_t n, uint64_t *rax, bool down);

/*
 * A SIGBUS or SIGSEGV handler asks first: true: the fault was in here, the context now
 * goes on with the failure. Signal-safe.
 */
bool kt_guard_fixup(ucontext_t *context);

#endif
