/* SPDX-License-Identifier: MIT */
/* The shortest word that one machine accepts and another does not. */
#ifndef KTAIL_TESTS_TRUTH_ONLY_IN_H
#define KTAIL_TESTS_TRUTH_ONLY_IN_H

#include <ktail/fsm.h>

/*
 * Finds a shortest word that `in` accepts and `without` does not, the first in byte order.
 * Returns its letters in letters[0..n), as indices into the letters of `in`, and in *state
 * the state of `in` before the last letter; if there is no such word, *letters is NULL and
 * *n is 0. The caller frees *letters. O(states of one machine times transitions of the
 * other).
 */
int only_in_find(uint32_t **letters, size_t *n, uint32_t *state, const struct kt_fsm *in,
		 const struct kt_fsm *without);

#endif
