/* SPDX-License-Identifier: MIT */
/* Helpers of the tests in which allocations of the engine fail. */
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

/*
 * Makes two words: one has each letter once, the other is cut at both ends and repeats some
 * letters, so that states with many transitions merge. The caller owns *out.
 */
int kt_memory_words(kt_words **out, uint32_t kinds);

/*
 * Returns whether each case behaves as kt_refuse_each() requires and makes more than 20
 * allocations. Reasons for a failure go to standard error.
 */
bool kt_memory_good(struct kt_memory_case *cases, size_t n);

#endif
