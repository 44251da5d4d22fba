/* SPDX-License-Identifier: MIT */
/*
 * The annotation part `phases`: the phase CREATE, INIT, USE or DESTROY of each state, from
 * the structure of the machine (phases-structure.h) and from the calls of the API in the
 * traces (phases-calls.h). ktail-annotate(1) and docs/internals/annotate.md describe the
 * output.
 *
 * Where the two sources disagree, one is taken:
 *
 * - by default the phase by structure, as it holds for everything the machine can do;
 * - the phase that most letters of the state have by calls, if none of them has the phase
 *   by structure: the structure shows the doorbells, but not what the program used them
 *   for;
 * - the phase by calls, if the structure gives none.
 *
 * If two phases have equally many letters, the later phase counts. The letters of a state
 * are those that lead to it.
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

/* Phases of a state or transition. */
struct kt_phase_of {
	enum kt_api_phase structure;
	enum kt_api_phase calls; /* of most letters; NONE: calls give none */
	enum kt_api_phase taken;
	uint64_t by_calls[KT_PHASES]; /* number of letters in each phase by calls */
};

/* Counts, with a row for each phase by structure and a column for each phase by calls. */
struct kt_phase_table {
	uint64_t cells[KT_PHASES][KT_PHASES];
};

struct kt_phase_check {
	struct kt_phase_of *states;      /* Owned by this: by state */
	struct kt_phase_of *transitions; /* Owned by this: by transition */
	size_t n_states;
	size_t n_transitions;
	/* Rows: phase by structure of the letter's transition. */
	struct kt_phase_table letters;
	/* counts states; columns: phase of most letters */
	struct kt_phase_table state_table;
	/* Rows: phase taken for the letter's transition. */
	struct kt_phase_table taken_letters;
};

/*
 * Begins a comparison. `structure` NULL: no phases by structure. KT_E_MEMORY; *out is empty
 * then.
 */
int kt_phase_check_begin(struct kt_phase_check *out, const struct kt_fsm *fsm,
			 const struct kt_structure *structure);

/* Adds a letter on `transition` with its phase by calls. */
void kt_phase_check_letter(struct kt_phase_check *check, const struct kt_fsm *fsm,
			   uint32_t transition, enum kt_api_phase calls);

/* Decides which phases are taken. Call after the last letter. */
void kt_phase_check_settle(struct kt_phase_check *check);

/* Whether both sources give a phase, and the two differ. */
bool kt_phase_disagrees(const struct kt_phase_of *of);

/* Returns a possible reason for the difference, a sentence without full stop. Static. */
const char *kt_phase_reason(const struct kt_phase_of *of);

/* Frees what *check owns and leaves it empty. */
void kt_phase_check_clear(struct kt_phase_check *check);

/* A letter whose phase by calls differs from that by structure. */
struct kt_phase_example {
	uint32_t state; /* target of its transition */
	size_t trace;
	const char *process; /* Weak: in the course */
	uint64_t seq;
	uint64_t time;    /* ns since the first event of the trace */
	const char *call; /* Weak: in the course; the innermost call; NULL: outside calls */
	enum kt_api_phase calls;
};

struct kt_phases {
	const struct kt_annotation_input *input; /* Weak */
	struct kt_structure structure;           /* empty if `refusal` is set */
	/* Owned by this: message if the structure gives no phases; NULL: it does. */
	char *refusal;
	struct kt_phase_check check;
	struct kt_course course;
	struct kt_phase_example *examples; /* Owned by this: in order of occurrence */
	size_t n_examples;
	size_t capacity;
	uint32_t *n_of_state; /* Owned by this: number of examples by state */
	/* Owned by this: names of phases (static) by transition; or NULL. */
	const char **transitions;
	uint64_t letters_of_calls; /* letters with a phase by calls */
};

extern const struct kt_annotation_part kt_phases_part;

/* Writers of the part: JSON and text report. */
int kt_phases_json(void *part, json_t *top, json_t *const *states,
		   json_t *const *transitions);
int kt_phases_text(void *part, FILE *out);

#endif
