/* SPDX-License-Identifier: MIT */
/* Small machines for the tests of scores. */
#ifndef KTAIL_TESTS_SCORE_RIG_H
#define KTAIL_TESTS_SCORE_RIG_H

#include <ktail/ktail.h>

#include "tests/engine/oracle/random-sets.h"

#define RIG_LETTERS 3

extern const char *const rig_alphabet[RIG_LETTERS]; /* a, b, c */

/*
 * Returns a machine without transitions, with space for one per state and letter. The
 * caller owns it.
 */
struct kt_fsm *rig_machine_new(size_t n_states, const char *const *letters, size_t n);

/* Adds a transition. Transitions must be added in order of states, then of letters. */
void rig_connect(struct kt_fsm *fsm, uint32_t from, uint32_t letter, uint32_t to,
		 uint64_t count);

/*
 * Returns a random machine of up to `most` states and two of the letters a, b and c, so
 * that two machines may number the same letter differently. The caller owns it.
 */
struct kt_fsm *rig_machine_random(struct random *random, uint32_t most);

#endif
