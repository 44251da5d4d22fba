/* SPDX-License-Identifier: MIT */
/*
 * Straight chains of a machine: sequences of states in which the only transition out of one
 * state is the only transition into the next.
 */
#ifndef KTAIL_ANNOTATE_CHAINS_H
#define KTAIL_ANNOTATE_CHAINS_H

#include <stdbool.h>
#include <stdint.h>

#include <ktail/fsm.h>

struct kt_chains {
	uint32_t *order; /* Owned by this: all states, chain after chain */
	bool *begins; /* Owned by this: whether order[i] is the first state of its chain */
};

/*
 * Finds the chains and orders them by the number of their first state; cycles come last.
 * The start state always begins a chain. The caller owns the arrays of *out. KT_E_MEMORY.
 * O(states + transitions).
 */
int kt_chains_find(struct kt_chains *out, const struct kt_fsm *fsm);

/* Frees the arrays; an all-zero struct is allowed. */
void kt_chains_clear(struct kt_chains *chains);

#endif
