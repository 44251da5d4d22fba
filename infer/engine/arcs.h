/* SPDX-License-Identifier: MIT */
/* A machine made ready for reading words: a state's transitions are found at once. */
#ifndef KTAIL_ENGINE_ARCS_H
#define KTAIL_ENGINE_ARCS_H

#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

#define KT_ARCS_NONE UINT32_MAX /* no letter, no state */

struct kt_arcs {
	const struct kt_fsm *fsm; /* Weak */
	size_t *first; /* Owned by this: a state's first transition; n_states + 1 of them */
};

/*
 * KT_E_USAGE if the machine is not as fsm.h says (numbers out of range, letters or
 * transitions not in order) or has a state with two transitions for one letter. O(size).
 */
int kt_arcs_make(struct kt_arcs *arcs, const struct kt_fsm *fsm);
void kt_arcs_clear(struct kt_arcs *arcs);

/* The transitions of a state and how many they are. */
static inline const struct kt_fsm_transition *kt_arcs_of(const struct kt_arcs *arcs,
							 uint32_t state, size_t *n)
{
	*n = arcs->first[state + (size_t)1] - arcs->first[state];
	return arcs->fsm->transitions + arcs->first[state];
}

/* Where a letter leads from a state; KT_ARCS_NONE: nowhere. O(log transitions of state). */
uint32_t kt_arcs_step(const struct kt_arcs *arcs, uint32_t state, uint32_t letter);

/*
 * What number the letters of one machine have in another, KT_ARCS_NONE if none; the caller
 * frees *out. O(letters).
 */
int kt_arcs_translate(uint32_t **out, const struct kt_fsm *from, const struct kt_fsm *to);

#endif
