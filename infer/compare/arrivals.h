/* SPDX-License-Identifier: MIT */
/* The transitions that lead to each state of a machine. */
#ifndef KTAIL_ENGINE_ARRIVALS_H
#define KTAIL_ENGINE_ARRIVALS_H

#include <ktail/fsm.h>

struct kt_arrivals {
	size_t *first;        /* Owned by this: of state s first[s]..first[s + 1] */
	uint32_t *transition; /* Owned by this: by state, then letter, then where from */
};

/* KT_E_USAGE with 2^32 transitions or more. On failure *out needs no clearing. O(size). */
int kt_arrivals_init(struct kt_arrivals *out, const struct kt_fsm *fsm);

/* Does nothing on a zeroed one. */
void kt_arrivals_clear(struct kt_arrivals *arrivals);

#endif
