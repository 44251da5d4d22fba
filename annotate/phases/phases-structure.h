/* SPDX-License-Identifier: MIT */
/*
 * The phases of a machine's states from its structure alone: where doorbells ring, and what
 * lies before that, after it and between. docs/internals/annotate.md has the definition with
 * its reasons; phases are those of Menychtas, Shen and Scott (USENIX ATC 2013).
 *
 * A doorbell is a transition of a letter W:reg (alphabets table1 and rm, and of one's own
 * that keep the name), or submit:... (alphabet submission). The work is what goes round
 * through doorbells: of the component whose doorbells ring most often, the transitions that
 * are taken at least a tenth as often; the components of these that hold a doorbell are its
 * states. If none goes round, it is all that lies between two doorbells.
 *
 *   USE      the work; and what lies between it or after it on a way that rings.
 *   CREATE   can be reached from the start without the work, and leads to it.
 *   INIT     the same after a doorbell; and ways from the work back to it that ring none.
 *   DESTROY  what can end without the work, and rings no more.
 *   none     neither leads to the work nor comes from it.
 */
#ifndef KTAIL_ANNOTATE_PHASES_STRUCTURE_H
#define KTAIL_ANNOTATE_PHASES_STRUCTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "decode/api-functions.h"

struct kt_structure {
	enum kt_api_phase *states;      /* Owned by this: of each state */
	enum kt_api_phase *transitions; /* Owned by this: of each transition */
	uint64_t doorbells;             /* how often they ring */
	uint64_t threshold; /* so often is a transition of the work taken, at least */
	uint32_t work_states;
	bool repeats; /* the work goes round */
	/*
	 * The last state that every way from the start to the work passes, and the first
	 * that every way from there to an end passes: dominators. KT_NO_STATE: none.
	 */
	uint32_t gate;
	uint32_t exit;
};

/* Whether a letter says that a doorbell rang. */
bool kt_letter_is_doorbell(const char *letter);

/*
 * Finds the phases of all states and transitions. A transition is of the phase of the state
 * that it leads to; one that rings is never of DESTROY, but of USE then. KT_E_EMPTY if no
 * transition rings: this alphabet does not tell. KT_E_MEMORY. On failure *out is empty.
 * Near O(size). One thread at a time: see infer/graph/igraph-adapter.h.
 */
int kt_structure_find(struct kt_structure *out, const struct kt_fsm *fsm);

/* Frees what it owns, and leaves it empty. */
void kt_structure_clear(struct kt_structure *structure);

#endif
