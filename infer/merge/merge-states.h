/* SPDX-License-Identifier: MIT */
/*
 * Merges states that the caller chooses, for example because a person knows that they mean
 * the same. The result is made deterministic again, so more states may be merged than were
 * chosen.
 */
#ifndef KTAIL_MERGE_STATES_H
#define KTAIL_MERGE_STATES_H

#include <stdint.h>

#include "export.h"
#include "fsm.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Merges the states with equal values in classes[], then the targets of any two transitions
 * that leave one state with the same letter, until there are no such transitions. The
 * values are below n_states. Afterwards classes[i] is the new number of the state that was
 * number i.
 *
 * The machine reads at least the words that it read before. Counts, visits and ends are
 * added up; the words keep their entries and exits; a merged state has the program points
 * of all its members. Labels and phases are removed, because they described single states.
 * New states are numbered canonically (ktail-fsm(5)). KT_E_USAGE if the machine is a
 * "diff", KT_E_MEMORY; on failure the machine can only be freed. O(machine log machine),
 * expected.
 */
KT_EXPORT int kt_merge_states(struct kt_fsm *fsm, uint32_t *classes);

#ifdef __cplusplus
}
#endif
#endif
