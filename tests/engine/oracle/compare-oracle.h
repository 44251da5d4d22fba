/* SPDX-License-Identifier: MIT */
/*
 * Compares machines slowly: over all pairs of states, with words as strings, until nothing
 * changes. Letters of both are single characters. For small machines.
 */
#ifndef KTAIL_TESTS_ENGINE_COMPARE_ORACLE_H
#define KTAIL_TESTS_ENGINE_COMPARE_ORACLE_H

#include <ktail/fsm.h>

struct oracle_way {
	int version;
	size_t transition;
	char *word; /* Owned by this */
};

struct oracle {
	bool equal;
	struct oracle_way *ways; /* Owned by this; sorted by their words */
	size_t n_ways;
};

/* Out of memory: aborts. */
struct oracle compare_slowly(const struct kt_fsm *old, const struct kt_fsm *new);
void oracle_clear(struct oracle *oracle);

/* Reads a word from the start; returns whether it can be read. */
bool accepts(const struct kt_fsm *fsm, const char *word);

/* Orders shorter words first, words of equal length by bytes. */
int compare_words(const char *a, const char *b);

#endif
