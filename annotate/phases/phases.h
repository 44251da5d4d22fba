/* SPDX-License-Identifier: MIT */
/*
 * The part `phases` of an annotation: of each state the phase CREATE, INIT, USE or DESTROY,
 * by the structure of the machine (phases-structure.h) and by the API calls of the traces
 * (phases-calls.h). ktail-annotate(1) and docs/internals/annotate.md say what is written.
 *
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
#ifndef KTAIL_ANNOTATE_PHASES_H
#define KTAIL_ANNOTATE_PHASES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "annotate/meaning/annotation.h"
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

/* A letter whose phase by calls is not that of the structure. */
struct kt_phase_example {
	uint32_t state; /* that it leads to */
	size_t trace;
	const char *process; /* Weak: of the course */
	uint64_t seq;
	uint64_t time;    /* ns since the first event of the trace */
	const char *call; /* Weak: of the course: the innermost; NULL: outside of calls */
	enum kt_api_phase calls;
};

struct kt_phases {
	const struct kt_annotation_input *input; /* Weak */
	struct kt_structure structure;           /* empty if `refusal` */
	char *refusal; /* Owned by this: why the structure says nothing; or NULL */
	struct kt_phase_check check;
	struct kt_course course;
	struct kt_phase_example *examples; /* Owned by this: as they came */
	size_t n_examples;
	size_t capacity;
	uint32_t *n_of_state;      /* Owned by this: examples of each state */
	const char **transitions;  /* Owned by this: names of phases, static; or NULL */
	uint64_t letters_of_calls; /* letters of which calls say a phase */
};

extern const struct kt_annotation_part kt_phases_part;

/* Of the part: its JSON and its piece of the report. */
int kt_phases_json(void *part, json_t *top, json_t *const *states,
		   json_t *const *transitions);
int kt_phases_text(void *part, FILE *out);

#endif
