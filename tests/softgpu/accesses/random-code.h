/* SPDX-License-Identifier: MIT */
/*
 * Makes random code of loads, stores and read-modify-writes: the forms that the recorder
 * emulates (tests/collect/instructions/forms.h), groups of short instructions next to each
 * other, and string instructions.
 */
#ifndef KTAIL_TESTS_RANDOM_CODE_H
#define KTAIL_TESTS_RANDOM_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * In each turn the code accesses other addresses, which come again after CODE_TURNS turns.
 */
#define CODE_TURNS     4
#define CODE_ACCESSES  160 /* at most, of one piece of code */
#define CODE_BYTES     16384
#define CODE_REGISTERS 16 /* in the order of their encoding; the stack pointer is unused   \
			   */

/*
 * Memory that the code may access, below 2^31. A target is chosen as often as it occurs in
 * the list.
 */
struct code_target {
	uintptr_t start;
	size_t bytes; /* a multiple of 64, at least 4096 */
};

struct code_access {
	uintptr_t address[CODE_TURNS];
	bool write; /* also of a read-modify-write */
};

struct random_code {
	void (*entry)(void);
	struct code_access accesses[CODE_ACCESSES];
	size_t n;
	struct code_base {
		uint64_t *cell; /* from which the code loads a base register */
		uint64_t value[CODE_TURNS];
	} bases[CODE_ACCESSES];
	size_t n_bases;
};

/* Registers before and after a run of the code. */
struct code_state {
	uint64_t general[CODE_REGISTERS];
	uint64_t flags;
	void (*code)(void);
	unsigned char vectors[4096] __attribute__((aligned(64))); /* as of xsave */
};

/* Selects the sequence of random numbers. */
void random_code_seed(uint64_t seed);
uint64_t random_code_number(void);

/*
 * Makes a piece of code of `n` random steps at `at`, where CODE_BYTES bytes below 2^31 are
 * writable, and makes it executable and read-only. Cells are taken from `cells`, which has
 * CODE_ACCESSES elements below 2^31. If `irregular` is set, some steps are loops, and some
 * are skipped, depending on flags: `accesses` does not say then how often the code does
 * what.
 */
void random_code_make(struct random_code *code, void *at, uint64_t *cells, unsigned n,
		      const struct code_target *targets, size_t n_targets, bool irregular);

/* Fills the state with random numbers. */
void random_code_state(struct code_state *state);

/* Runs the code from the state, as turn number `turn`, and updates the state. */
void random_code_run(struct random_code *code, struct code_state *state, unsigned turn);

/* Returns a hash of the state. Flags that instructions leave undefined do not count. */
uint64_t random_code_hash(const struct code_state *state);

#endif
