/* SPDX-License-Identifier: MIT */
/*
 * Calls machine code with given registers, and returns the registers after it. The stack
 * pointer is excluded, because it points to the return address. The red zone has the same
 * contents at each call.
 */
#ifndef KTAIL_TESTS_CALLER_H
#define KTAIL_TESTS_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * General registers are in the order of their encoding; general[4], the stack pointer, is
 * ignored.
 */
struct caller_state {
	uint64_t general[16];
	uint64_t flags;
	uint64_t masks[8]; /* opmask registers */
	uint32_t mxcsr;
	uint32_t use; /* input: 0 clears the vector registers, else loads them */
	unsigned char vectors[32][64];
};

/*
 * Calls the code. Sets after->use to the processor's registers in use (XINUSE), or to 0 if
 * the processor does not report them. Not thread-safe.
 */
void caller_run(uintptr_t code, const struct caller_state *before,
		struct caller_state *after);

/*
 * Return the bytes of a vector register, and the number of vector registers including
 * opmasks.
 */
size_t caller_vector_size(void);
size_t caller_vector_count(void);

/* Returns whether two states are the same; prints the differences. */
bool caller_same(const struct caller_state *a, const struct caller_state *b);

/* Fills the registers with random values, and the flags including the direction flag. */
void caller_randomize(struct caller_state *state);

uint64_t caller_random(void);

#endif
