/* SPDX-License-Identifier: MIT */
/*
 * Calls machine code with given registers, and gives those that it leaves: all but the
 * stack pointer, on which it finds the address to return to. The red zone below is the same
 * for all.
 */
#ifndef KTAIL_TESTS_CALLER_H
#define KTAIL_TESTS_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By encoding number; that of the stack pointer means nothing. */
struct caller_state {
	uint64_t general[16];
	uint64_t flags;
	uint64_t masks[8]; /* opmask registers */
	uint32_t mxcsr;
	uint32_t use; /* in: not 0: the vector registers are given, else cleared */
	unsigned char vectors[32][64];
};

/*
 * After it `use` is what the processor says of the registers in use (XINUSE), 0 where it
 * does not. Not for several threads at a time.
 */
void caller_run(uintptr_t code, const struct caller_state *before,
		struct caller_state *after);

/* Bytes of a vector register, and how many there are, opmasks included. */
size_t caller_vector_size(void);
size_t caller_vector_count(void);

/* Whether two states are the same; prints where not. */
bool caller_same(const struct caller_state *a, const struct caller_state *b);

/* Random registers; the flags with the direction flag. */
void caller_randomize(struct caller_state *state);

uint64_t caller_random(void);

#endif
