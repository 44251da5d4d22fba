/* SPDX-License-Identifier: MIT */
/* Small machines for the tests of scores. */
#ifndef KTAIL_TESTS_SCORE_RIG_H
#define KTAIL_TESTS_SCORE_RIG_H

#include <ktail/ktail.h>

#include "tests/engine/oracle/random-sets.h"

#define RIG_LETTERS 3

extern const char *const rig_alphabet[RIG_LETTERS]; /* a, b, c */

/* States without transitions, with space for one of each letter. The caller owns it. */
struct kt_fsm *rig_machine_new(size_t n_states, const char *const *letters, size_t n);

/* Transitions must come in their order. */
void rig_connect(struct kt_fsm *fsm, uint32_t from, uint32_t letter, uint32_t to,
		 uint64_t count);

/* Up to `most` states, and two of three letters, so that letters' numbers differ. */
struct kt_fsm *rig_machine_random(struct random *random, uint32_t most);

#endif
