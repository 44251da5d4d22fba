/* SPDX-License-Identifier: MIT */
/* Words read by a machine whose states are program points, and their coverage. */
#ifndef KTAIL_TESTS_TRUTH_WALK_H
#define KTAIL_TESTS_TRUTH_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>
#include <ktail/words.h>

struct walk {
	const struct kt_fsm *fsm; /* Weak */
	size_t *first;            /* Owned by this; first transition of each state; n + 1 */
	bool *covered;            /* Owned by this; transitions taken by some word */
};

int walk_new(struct walk *out, const struct kt_fsm *fsm);
void walk_free(struct walk *walk);

/*
 * Returns the transition of a state with a letter, SIZE_MAX if there is none. O(log
 * letters).
 */
size_t walk_find(const struct walk *walk, uint32_t state, uint32_t letter);

/* Returns the machine's letter of that name, UINT32_MAX if it has none. */
uint32_t walk_letter(const struct walk *walk, const char *name);

struct verdict {
	bool accepted;
	uint64_t position; /* position of the first rejected letter, from 0 */
	uint32_t *states;  /* Owned by this; the possible states at that position */
	size_t n_states;
};

/*
 * Reads a word from the start or, if its beginning is truncated, from any state that
 * fits, and covers the transitions that it must have taken. The caller frees
 * verdict->states.
 */
int walk_word(struct walk *walk, const kt_words *words, size_t word, struct verdict *out);

#endif
