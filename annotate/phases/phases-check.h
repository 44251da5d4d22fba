/* SPDX-License-Identifier: MIT */
/*
 * The phases that the structure says and those that calls say, held against each other, and
 * which one is taken:
 *
 *   - what the structure says, as it holds for all that the machine can do;
 *   - but for a state where calls speak, and not one of its letters is of that phase by
 *     them: then what most of its letters are of by the calls, as the structure knows the
 *     doorbells but not what the program meant by them;
 *   - what the calls say where the structure says nothing.
 *
 * Ties between phases go to the later one. A state's letters are those that lead to it.
 */
#ifndef KTAIL_ANNOTATE_PHASES_CHECK_H
#define KTAIL_ANNOTATE_PHASES_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "annotate/phases/phases-calls.h"
#include "annotate/phases/phases-structure.h"

/* Of a state or a transition. */
struct kt_phase_of {
	enum kt_api_phase structure;
	enum kt_api_phase calls; /* of most letters; NONE: calls say nothing of it */
	enum kt_api_phase taken;
	uint64_t by_calls[KT_PHASES]; /* letters */
};

/* Rows: what the structure says. Columns: what calls say. */
struct kt_phase_table {
	uint64_t cells[KT_PHASES][KT_PHASES];
};

struct kt_phase_check {
	struct kt_phase_of *states;      /* Owned by this: of each state */
	struct kt_phase_of *transitions; /* Owned by this: of each transition */
	size_t n_states;
	size_t n_transitions;
	struct kt_phase_table letters;       /* as each was when it was read */
	struct kt_phase_table state_table;   /* states, by what most letters are of */
	struct kt_phase_table taken_letters; /* rows: what is taken of the transition */
};

/* `structure` may be NULL: it says nothing. KT_E_MEMORY; *out is empty then. */
int kt_phase_check_begin(struct kt_phase_check *out, const struct kt_fsm *fsm,
			 const struct kt_structure *structure);

/* A letter on a transition, of a phase by calls. */
void kt_phase_check_letter(struct kt_phase_check *check, const struct kt_fsm *fsm,
			   uint32_t transition, enum kt_api_phase calls);

/* All letters have been told: decides. */
void kt_phase_check_settle(struct kt_phase_check *check);

/* Whether both say something, and not the same. */
bool kt_phase_disagrees(const struct kt_phase_of *of);

/* Why they may differ: a sentence without its end. Static. */
const char *kt_phase_reason(const struct kt_phase_of *of);

/* Frees what it owns, and leaves it empty. */
void kt_phase_check_clear(struct kt_phase_check *check);

#endif
