/* SPDX-License-Identifier: MIT */
/* What the tests of the engine without memory share. */
#ifndef KTAIL_TESTS_MEMORY_TRIALS_H
#define KTAIL_TESTS_MEMORY_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include <ktail/ktail.h>

#include "tests/refuse.h"

struct kt_memory_case {
	const char *name;
	int (*work)(void *of_case); /* its argument is this */
	uint32_t kinds;             /* of letters in the words */
	uint64_t k;
	enum kt_machine machine;
};

/* A word of all kinds of letters, then some that merge states with many transitions. */
int kt_memory_words(kt_words **out, uint32_t kinds);

/* Refuses each allocation of each case; says on standard error what is wrong. */
bool kt_memory_good(struct kt_memory_case *cases, size_t n);

#endif
