/* SPDX-License-Identifier: MIT */
/*
 * Compares small machines slowly: finds the least word that leads to each pair of states,
 * as a string, by passes over all transitions until nothing changes. All letters must be
 * single characters.
 */
#ifndef KTAIL_TESTS_ENGINE_COMPARE_ORACLE_H
#define KTAIL_TESTS_ENGINE_COMPARE_ORACLE_H

#include <ktail/fsm.h>

/* A diverging transition and its word, like struct kt_compare_way. */
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

/* Aborts if there is no memory. */
struct oracle compare_slowly(const struct kt_fsm *old, const struct kt_fsm *new);
void oracle_clear(struct oracle *oracle);

/* Returns whether the machine can read the word from its start. */
bool accepts(const struct kt_fsm *fsm, const char *word);

/* Orders shorter words first, words of equal length by bytes. */
int compare_words(const char *a, const char *b);

#endif
