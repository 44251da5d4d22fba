/* SPDX-License-Identifier: MIT */
/*
 * Reads words by a machine whose states are program points, and marks the transitions
 * covered.
 */
#ifndef KTAIL_TESTS_TRUTH_WALK_H
#define KTAIL_TESTS_TRUTH_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>
#include <ktail/words.h>

struct walk {
	const struct kt_fsm *fsm; /* not owned */
	size_t *first;            /* owned; each state's first transition; n + 1 entries */
	bool *covered;            /* owned; set: some word must have taken the transition */
};

int walk_new(struct walk *out, const struct kt_fsm *fsm);
void walk_free(struct walk *walk);

/*
 * Returns the index of the state's transition with the letter, or SIZE_MAX if there is
 * none. O(log letters).
 */
size_t walk_find(const struct walk *walk, uint32_t state, uint32_t letter);

/*
 * Returns the index of the machine's letter of that name, or UINT32_MAX if there is none.
 */
uint32_t walk_letter(const struct walk *walk, const char *name);

struct verdict {
	bool accepted;
	uint64_t position; /* index of the first rejected letter, or the word's length */
	uint32_t *states;  /* owned: the states possible before that letter */
	size_t n_states;
};

/*
 * Reads a word from the start or, if its beginning is truncated, from all states, and
 * marks as covered each transition that the word must have taken. Returns 0 or an error
 * code. The caller frees out->states.
 */
int walk_word(struct walk *walk, const kt_words *words, size_t word, struct verdict *out);

#endif
