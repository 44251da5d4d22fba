/* SPDX-License-Identifier: MIT */
/*
 * The straight chains of a machine: states of which each has one way on, and that is the
 * one way into the next.
 */
#ifndef KTAIL_ANNOTATE_CHAINS_H
#define KTAIL_ANNOTATE_CHAINS_H

#include <stdbool.h>
#include <stdint.h>

#include <ktail/fsm.h>

struct kt_chains {
	uint32_t *order; /* Owned by this: all states, chain by chain, each in its order */
	bool *begins;    /* Owned by this: order[i] is the first of its chain */
};

/*
 * Chains come by the number of their first state, those that only go round last; the start
 * is always a first state. The caller owns what is in *out. KT_E_MEMORY. O(states +
 * transitions).
 */
int kt_chains_find(struct kt_chains *out, const struct kt_fsm *fsm);

/* All zero is allowed. */
void kt_chains_clear(struct kt_chains *chains);

#endif
