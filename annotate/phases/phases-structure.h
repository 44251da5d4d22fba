/* SPDX-License-Identifier: MIT */
/*
 * Phases by structure: the phases of a machine's states, found from the positions of the
 * states before, between and after the doorbells. The phases are those of Menychtas, Shen
 * and Scott (USENIX ATC 2013); docs/internals/annotate.md has the definition with its
 * reasons.
 *
 * A doorbell is a transition with a letter W:reg (alphabets table1 and rm, and user-defined
 * alphabets that keep the name) or submit:... (alphabet submission). The work is the part
 * of the machine that repeats doorbells. To find the work, count the doorbells of each
 * strongly connected component, and drop all transitions whose count is less than a tenth
 * of the largest number of doorbells. The work is then the remaining components that
 * contain a doorbell; if there are none, the work is everything between two doorbells.
 *
 * - USE: the work; states between two visits of the work, on a path with a doorbell; and
 *   states after the work from which a doorbell can follow.
 * - CREATE: states reached from the start without the work, from which the work (or a
 *   doorbell, if the work cannot be reached) can be reached.
 * - INIT: as CREATE, but after a first doorbell; also states on paths without a doorbell
 *   that lead from the work back to the work.
 * - DESTROY: states after the work from which the rest of a word can avoid the work, and
 *   has no doorbell if it does; also states reached from the start over a doorbell but
 *   without the work, from which the work cannot be reached.
 * - none: states before which there was neither the work nor a doorbell, and from which
 *   neither can be reached.
 */
#ifndef KTAIL_ANNOTATE_PHASES_STRUCTURE_H
#define KTAIL_ANNOTATE_PHASES_STRUCTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "decode/api-functions.h"

struct kt_structure {
	enum kt_api_phase *states;      /* Owned by this: indexed by state */
	enum kt_api_phase *transitions; /* Owned by this: indexed by transition */
	uint64_t doorbells;             /* how often doorbells were written */
	uint64_t threshold; /* minimum count of a transition of the work; 0: any */
	uint32_t work_states;
	/* the work consists of cycles; false: it is everything between two doorbells */
	bool repeats;
	/*
	 * Dominators: `gate` is the last state that is on all paths from the start to the
	 * work, `exit` the first that is on all paths from the work to an end.
	 * KT_NO_STATE: none.
	 */
	uint32_t gate;
	uint32_t exit;
};

/* Returns whether a letter stands for a doorbell. */
bool kt_letter_is_doorbell(const char *letter);

/*
 * Finds the phases of all states and transitions. A transition has the phase of its
 * target state, but a doorbell whose target is DESTROY has USE. KT_E_EMPTY if the machine
 * has no doorbell letter; KT_E_MEMORY. On failure *out is empty. Nearly linear in the
 * size of the machine. Only one thread at a time may call this: see
 * infer/graph/igraph-adapter.h.
 */
int kt_structure_find(struct kt_structure *out, const struct kt_fsm *fsm);

/* Frees what *structure owns and leaves it empty. */
void kt_structure_clear(struct kt_structure *structure);

#endif
