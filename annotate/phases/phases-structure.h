/* SPDX-License-Identifier: MIT */
/*
 * Phases by structure: the phases of a machine's states, found from the states before,
 * between and after its doorbells. The phases are those of Menychtas, Shen and Scott
 * (USENIX ATC 2013); docs/internals/annotate.md has the definition with its reasons.
 *
 * A doorbell is a transition with a letter W:reg (alphabets table1 and rm, and
 * user-defined alphabets that keep the name) or submit:... (alphabet submission). The work
 * is the part of the machine that repeats doorbells. To find it, count the doorbells of
 * each strongly connected component, and drop all transitions taken less than a tenth as
 * often as the largest count. The work is then the components that are left and contain a
 * doorbell; if there are none, the work is everything between two doorbells.
 *
 * - USE: the work, and states between or after it from which a doorbell can follow.
 * - CREATE: states reached from the start without the work, from which the work can be
 *   reached.
 * - INIT: states as in CREATE, but after a first doorbell; also states on paths without a
 *   doorbell that lead from the work back to it.
 * - DESTROY: states from which the word can end without the work, and without further
 *   doorbells.
 * - none: states that lead neither to the work nor to a doorbell, and follow neither.
 */
#ifndef KTAIL_ANNOTATE_PHASES_STRUCTURE_H
#define KTAIL_ANNOTATE_PHASES_STRUCTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "decode/api-functions.h"

struct kt_structure {
	enum kt_api_phase *states;      /* Owned by this: by state */
	enum kt_api_phase *transitions; /* Owned by this: by transition */
	uint64_t doorbells;             /* number of doorbells written */
	uint64_t threshold;             /* least count of a transition of the work */
	uint32_t work_states;
	bool repeats; /* the work is a cycle */
	/*
	 * Dominators: `gate` is the last state that is on all paths from the start to the
	 * work, `exit` the first that is on all paths from the work to an end.
	 * KT_NO_STATE: none.
	 */
	uint32_t gate;
	uint32_t exit;
};

/* Whether a letter stands for a doorbell. */
bool kt_letter_is_doorbell(const char *letter);

/*
 * Finds the phases of all states and transitions. A transition has the phase of its target
 * state, except that a doorbell into a state of DESTROY has USE. KT_E_EMPTY if the machine
 * has no doorbell letter; KT_E_MEMORY. On failure *out is empty. Nearly linear in the
 * machine's size. One thread at a time: see infer/graph/igraph-adapter.h.
 */
int kt_structure_find(struct kt_structure *out, const struct kt_fsm *fsm);

/* Frees what *structure owns and leaves it empty. */
void kt_structure_clear(struct kt_structure *structure);

#endif
