/* SPDX-License-Identifier: MIT */
/* What a reader of words knows of its machine (check.h). */
#ifndef KTAIL_CHECK_READER_H
#define KTAIL_CHECK_READER_H

#include <ktail/check.h>

#include "base/hash-index.h"

#define KT_CHECK_NOWHERE UINT32_MAX /* instead of a state or a transition */

struct kt_check {
	const struct kt_fsm *fsm;       /* Weak */
	struct kt_hash_index by_letter; /* transitions by (from, letter) */
	uint32_t *of_state;             /* Owned by this: transitions in order of `from` */
	size_t *state_first;            /* Owned by this: where each state's begin in it */
	uint32_t *of_letter;            /* Owned by this: transitions in order of letter */
	size_t *letter_first;           /* Owned by this: where each letter's begin in it */
};

/* Where the letter leads from there; KT_CHECK_NOWHERE. O(1) on average. */
uint32_t kt_check_target(const kt_check *check, uint32_t from, uint32_t letter);

#endif
