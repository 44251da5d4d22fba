/* SPDX-License-Identifier: MIT */
/*
 * The annotation part `phases`: the phase CREATE, INIT, USE or DESTROY of each state,
 * from the structure of the machine (phases-structure.h) and from the calls of the API in
 * the traces (phases-calls.h). ktail-annotate(1) and docs/internals/annotate.md describe
 * the output.
 *
 * The letters of a state are those of the transitions to the state. The phase by calls of
 * a state is the one that most of its letters have; if two phases are equally frequent,
 * the later phase. If structure and calls give a state different phases, one is taken:
 *
 * - by default the phase by structure, as it holds for everything the machine can do;
 * - the phase by calls, if no letter of the state has the phase by structure: the
 *   structure shows where the doorbells are, but not what the program used them for;
 * - the phase by calls, if the state does not have a phase by structure.
 *
 * Transitions, which have their own letters, get their phases in the same way.
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
	/* Phase by calls of most letters that have one; NONE: no letter has one. */
	enum kt_api_phase calls;
	enum kt_api_phase taken;
	uint64_t by_calls[KT_PHASES]; /* number of letters in each phase by calls */
};

/*
 * Counts, with a row for each phase by structure (unless noted otherwise) and a column
 * for each phase by calls.
 */
struct kt_phase_table {
	uint64_t cells[KT_PHASES][KT_PHASES];
};

struct kt_phase_check {
	struct kt_phase_of *states;      /* Owned by this: indexed by state */
	struct kt_phase_of *transitions; /* Owned by this: indexed by transition */
	size_t n_states;
	size_t n_transitions;
	/*
	 * Counts letters; the row of a letter is the phase by structure of its
	 * transition.
	 */
	struct kt_phase_table letters;
	/*
	 * Counts states; the column of a state is the phase by calls of most of its
	 * letters.
	 */
	struct kt_phase_table state_table;
	/* Counts letters; the row of a letter is the phase taken for its transition. */
	struct kt_phase_table taken_letters;
};

/*
 * Begins a comparison. `structure` may be NULL, for a comparison without phases by
 * structure. KT_E_MEMORY; *out is empty on failure.
 */
int kt_phase_check_begin(struct kt_phase_check *out, const struct kt_fsm *fsm,
			 const struct kt_structure *structure);

/* Adds a letter on `transition` with its phase by calls. */
void kt_phase_check_letter(struct kt_phase_check *check, const struct kt_fsm *fsm,
			   uint32_t transition, enum kt_api_phase calls);

/* Decides which phases are taken. Call after the last letter. */
void kt_phase_check_settle(struct kt_phase_check *check);

/* Returns whether structure and calls give different phases; false if either gives none. */
bool kt_phase_disagrees(const struct kt_phase_of *of);

/* Returns a possible reason for the difference, without a full stop. Static. */
const char *kt_phase_reason(const struct kt_phase_of *of);

/* Frees what *check owns and leaves it empty. */
void kt_phase_check_clear(struct kt_phase_check *check);

/* A letter whose phase by calls differs from its phase by structure. */
struct kt_phase_example {
	uint32_t state; /* target of the transition of the letter */
	size_t trace;
	const char *process; /* Weak: in the course */
	uint64_t seq;
	uint64_t time;    /* ns since the first event of the trace */
	/* Weak: in the course: name of the innermost call; NULL: outside calls */
	const char *call;
	enum kt_api_phase calls;
};

struct kt_phases {
	const struct kt_annotation_input *input; /* Weak */
	struct kt_structure structure;           /* empty if `refusal` is set */
	/*
	 * Owned by this: message why the structure gives no phases; NULL: it gives
	 * phases.
	 */
	char *refusal;
	struct kt_phase_check check;
	struct kt_course course;
	struct kt_phase_example *examples; /* Owned by this: in order of occurrence */
	size_t n_examples;
	size_t capacity;
	uint32_t *n_of_state; /* Owned by this: number of examples, indexed by state */
	/*
	 * Owned by this: indexed by transition: static name of the phase taken; NULL: no
	 * phase.
	 */
	const char **transitions;
	uint64_t letters_of_calls; /* number of letters with a phase by calls */
};

extern const struct kt_annotation_part kt_phases_part;

/* Writers of the part: JSON and text report. */
int kt_phases_json(void *part, json_t *top, json_t *const *states,
		   json_t *const *transitions);
int kt_phases_text(void *part, FILE *out);

#endif
