/* SPDX-License-Identifier: MIT */
/*
 * Explains a machine from traces that fit it. Parts receive the activity of each trace in
 * one reading (annotate/events/activity.h) and add their results to states, transitions
 * and the machine. Parts know of each other only the contents of kt_annotation.
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

/* Input of the parts; outlives them. */
struct kt_annotation_input {
	const struct kt_fsm *fsm; /* Weak */
	const char *fsm_name;     /* Weak: name of its file */
	const char *const *paths; /* Weak: the traces, in order */
	size_t n_paths;
	const struct kt_letter_filter *filter; /* Weak: filter of its letters; NULL: the
						* machine's */
	enum kt_source source;                 /* source of processes recorded by both */
	const struct kt_trace_filter
		*part;               /* Weak: only its letters are placed; NULL: all */
	const kt_label_rules *rules; /* Weak */
	const char *rules_name;      /* Weak: name of their file; NULL: the built-in
				      * table */
	size_t evidence;             /* examples wanted of each state and transition */
	bool occurrences;            /* the label of each letter must be kept */

	/* The current trace, from visitor->begin to visitor->end; else NULL. Weak. */
	size_t trace; /* index in paths */
	const kt_placement *placement;
	const kt_roles *roles;
	/* Set by the part `labels`; complete for later parts at visitor->end. */
	struct kt_meanings *meanings;
};

/*
 * Results of all parts, for later parts. Labels and phases are in the machine itself
 * (base/fsm.h).
 */
struct kt_annotation {
	struct kt_fsm *fsm;              /* Weak */
	enum kt_label_role *state_roles; /* Owned by this: by state */
	enum kt_label_role *roles;       /* Owned by this: by transition */
	uint64_t *letters;               /* Owned by this: letters placed, by transition */
	uint64_t placed;                 /* letters placed in all traces */
	uint64_t unplaced;
	/*
	 * Owned by the part `labels`, NULL until it has finished. Transition t is owner t,
	 * state s is owner n_transitions + s.
	 */
	const kt_counts *labels;
	const kt_counts *calls; /* innermost API calls */
	/*
	 * Weak: phases by transition, owned by the part `phases`; NULL until it has
	 * finished. Most are that of the target state; NULL: unknown.
	 */
	const char *const *transition_phases;
};

/* A file that a part can write, with its option of ktail annotate. */
struct kt_annotation_file {
	const char *option;                /* "distil": --distil FILE */
	const char *help;                  /* one line */
	const struct kt_output_kind *kind; /* its formats receive the part */
};

/*
 * A part. Each function receives the object that `make` created. Members may be NULL,
 * except for name, make and free. An error ends the annotation.
 */
struct kt_annotation_part {
	const char *name; /* also of its member in "annotation" */
	int (*make)(void **part, const struct kt_annotation_input *input);
	/* Receives every trace; its context is the part. */
	const struct kt_activity_visitor *visitor;
	/* Called after all traces, in order of the table: earlier parts have finished. */
	int (*finish)(void *part, struct kt_annotation *annotation);
	/*
	 * Adds members to `top`, the object "annotation" (under the part's name), and to
	 * the objects of states and transitions, by index. KT_E_MEMORY.
	 */
	int (*json)(void *part, json_t *top, json_t *const *states,
		    json_t *const *transitions);
	/* Writes its section of the report: an empty line, a heading, then lines. */
	int (*text)(void *part, FILE *out);
	const struct kt_annotation_file *file; /* NULL: none */
	void (*free)(void *part);              /* NULL is allowed */
};

/* All parts, in order; ends with NULL. A new part is a line in annotate/parts.c. */
extern const struct kt_annotation_part *const kt_annotation_parts[];

#endif
