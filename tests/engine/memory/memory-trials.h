/* SPDX-License-Identifier: MIT */
/* Helpers shared by the tests of the engine under failed allocations. */
#ifndef KTAIL_TESTS_MEMORY_TRIALS_H
#define KTAIL_TESTS_MEMORY_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include <ktail/ktail.h>

#include "tests/refuse.h"

struct kt_memory_case {
	const char *name;
	int (*work)(void *of_case); /* gets a pointer to this struct */
	uint32_t kinds;             /* number of different letters in the words */
	uint64_t k;
	enum kt_machine machine;
};

/* A word with all letters, then some that merge states with many transitions. */
int kt_memory_words(kt_words **out, uint32_t kinds);

/* Refuses each allocation of each case; prints failures to standard error. */
bool kt_memory_good(struct kt_memory_case *cases, size_t n);

#endif
