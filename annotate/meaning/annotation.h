/* SPDX-License-Identifier: MIT */
/*
 * What a machine means, from traces that it fits: parts are told of what happens in each
 * trace, together in one reading (annotate/events/activity.h), and add what they found to
 * states, transitions and the machine. Parts know of each other only what is in
 * kt_annotation.
 */
#ifndef KTAIL_ANNOTATE_ANNOTATION_H
#define KTAIL_ANNOTATE_ANNOTATION_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include <ktail/fsm.h>

#include "annotate/events/activity.h"
#include "annotate/meaning/counts.h"
#include "annotate/meaning/label-role.h"
#include "annotate/meaning/label-rules.h"
#include "annotate/meaning/meanings.h"
#include "annotate/meaning/placement.h"
#include "annotate/meaning/roles.h"
#include "infer/files/output.h"

/* What parts read; as long as they are. */
struct kt_annotation_input {
	const struct kt_fsm *fsm; /* Weak */
	const char *fsm_name;     /* Weak: of its file */
	const char *const *paths; /* Weak: the traces, in order */
	size_t n_paths;
	const struct kt_letter_filter *filter; /* Weak: of its words; NULL: the machine's */
	enum kt_source source;                 /* of processes that both sides tell of */
	const struct kt_trace_filter *part; /* Weak: whose letters are placed; NULL: all */
	const kt_label_rules *rules;        /* Weak */
	const char *rules_name;             /* Weak: the file's; NULL: the built-in table */
	size_t evidence;  /* examples wanted of each state and transition */
	bool occurrences; /* each letter's label is to be kept */

	/* Of the trace being read, from visitor->begin to visitor->end; else NULL. Weak. */
	size_t trace; /* index in paths */
	const kt_placement *placement;
	const kt_roles *roles;
	/* The part `labels` sets them; whole for parts after it at visitor->end. */
	struct kt_meanings *meanings;
};

/*
 * What all parts found, for those after. Parts put labels and phases into the machine
 * (base/fsm.h), where later parts find them; the rest is here.
 */
struct kt_annotation {
	struct kt_fsm *fsm;              /* Weak */
	enum kt_label_role *state_roles; /* Owned by this: by state */
	enum kt_label_role *roles;       /* Owned by this: by transition */
	uint64_t *letters;               /* Owned by this: placed there, by transition */
	uint64_t placed;                 /* letters of all traces */
	uint64_t unplaced;
	/* From here on owned by the part `labels`: by transition t: t; by state s:
	 * n_transitions + s. NULL before it has finished. */
	const kt_counts *labels;
	const kt_counts *calls; /* innermost API calls */
	/* Weak: of the part `phases`, NULL before it has finished: the phase of a
	 * transition is that of the state it leads to unless it says otherwise. */
	const char *const *transition_phases;
};

/* A file that a part can write, as an option of ktail annotate. */
struct kt_annotation_file {
	const char *option;                /* "distil": --distil FILE */
	const char *help;                  /* one line */
	const struct kt_output_kind *kind; /* of the part: what its formats are given */
};

/*
 * A part. Each function gets what `make` made. Members may be NULL, but for name, make and
 * free. An error ends everything.
 */
struct kt_annotation_part {
	const char *name; /* of its member of "annotation" */
	int (*make)(void **part, const struct kt_annotation_input *input);
	/* Told of every trace; its context is the part. */
	const struct kt_activity_visitor *visitor;
	/* After all traces, in order of the table: it may read what those before made. */
	int (*finish)(void *part, struct kt_annotation *annotation);
	/*
	 * Adds members: to `top`, the object "annotation" (its own is named as the part),
	 * and to the objects of states and transitions, by index. KT_E_MEMORY.
	 */
	int (*json)(void *part, json_t *top, json_t *const *states,
		    json_t *const *transitions);
	/* Its piece of the report: a heading, then lines; an empty line in front. */
	int (*text)(void *part, FILE *out);
	const struct kt_annotation_file *file; /* NULL: none */
	void (*free)(void *part);              /* NULL is allowed */
};

/* The parts, in order; ends with a NULL. A new part is a line in annotate/parts.c. */
extern const struct kt_annotation_part *const kt_annotation_parts[];

#endif
