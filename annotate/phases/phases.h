/* SPDX-License-Identifier: MIT */
/*
 * The part `phases` of an annotation: of each state the phase CREATE, INIT, USE or DESTROY,
 * by the structure of the machine (phases-structure.h) and by the API calls of the traces
 * (phases-calls.h), both held against each other (phases-check.h). ktail-annotate(1) and
 * docs/annotate.md say what is written.
 */
#ifndef KTAIL_ANNOTATE_PHASES_H
#define KTAIL_ANNOTATE_PHASES_H

#include <stdio.h>

#include <jansson.h>

#include "annotate/meaning/annotation.h"
#include "annotate/phases/phases-calls.h"
#include "annotate/phases/phases-check.h"
#include "annotate/phases/phases-structure.h"

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
