/* SPDX-License-Identifier: MIT */
/*
 * Explains a machine from traces that fit it. All parts of the annotation receive the
 * activity of a trace in one pass (annotate/events/activity.h) and add their results to
 * states, transitions and the machine. Parts share data only through kt_annotation and
 * kt_annotation_input.meanings.
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

struct kt_merges; /* annotate/merges/merges.h */

/* Input of the parts. The caller keeps it until all parts are freed. */
struct kt_annotation_input {
	const struct kt_fsm *fsm; /* Weak */
	const char *fsm_name;     /* Weak: name of the machine's file */
	const char *const *paths; /* Weak: the traces, in order */
	size_t n_paths;
	/*
	 * Weak: the open traces, as kt_placement_of() takes them; NULL: the traces are
	 * opened one after another
	 */
	const kt_trace *const *traces;
	const struct kt_letter_filter *filter; /* Weak: filter of letters; NULL: that of the
						* machine */
	enum kt_source source; /* source to use for processes that both sources recorded */
	const struct kt_trace_filter
		*part;                  /* Weak: selects the letters to place; NULL: all */
	const kt_label_rules *rules;    /* Weak */
	const char *rules_name;         /* Weak: name of the rules' file; NULL: the built-in
					 * table */
	size_t evidence;                /* maximum examples of each state and transition */
	const struct kt_merges *merges; /* Weak: states merged by hand; NULL: none */
	bool occurrences;               /* keep the label of each letter, for a table */
	/*
	 * Weak: labels of the letters of the current trace, found with another machine of
	 * the same words, for kt_known_labels_part; else NULL
	 */
	const struct kt_meanings *known;

	/*
	 * The current trace. The pointers are weak, and NULL except from visitor->begin to
	 * visitor->end.
	 */
	size_t trace; /* index in paths */
	const kt_placement *placement;
	const kt_roles *roles;
	/* Weak: filled by the part `labels`; complete at visitor->end of the later parts.
	 */
	struct kt_meanings *meanings;
};

/*
 * Results of parts, for later parts. Labels and phases are stored in the machine itself
 * (base/fsm.h).
 */
struct kt_annotation {
	struct kt_fsm *fsm;              /* Weak */
	enum kt_label_role *state_roles; /* Owned by this: role of each state */
	enum kt_label_role *roles;       /* Owned by this: role of each transition */
	uint64_t *letters;               /* Owned by this: placed letters, by transition */
	uint64_t placed;                 /* number of placed letters in all traces */
	uint64_t unplaced;               /* number of other letters in all traces */
	/*
	 * Weak: counts of labels and of calls, owned by the part `labels`; NULL until that
	 * part has finished. Owner t has the counts of transition t, owner n_transitions +
	 * s those of state s.
	 */
	const kt_counts *labels;
	const kt_counts *calls; /* names of the innermost API calls around letters */
	/*
	 * Weak: phase of each transition, owned by the part `phases`; NULL until that part
	 * has finished. A transition usually has the phase of its target state; NULL:
	 * unknown.
	 */
	const char *const *transition_phases;
};

/* A file that a part can write, and the option of ktail annotate that requests it. */
struct kt_annotation_file {
	const char *option; /* "distil": --distil FILE */
	const char *help;   /* one line */
	const struct kt_output_kind
		*kind; /* the functions of its formats receive the part */
};

/*
 * A part. `make` creates an object, which the other functions receive. Members except name,
 * make and free may be NULL. An error ends the annotation.
 */
struct kt_annotation_part {
	const char *name; /* also the key of the part's member in "annotation" */
	int (*make)(void **part, const struct kt_annotation_input *input);
	/* Receives the activity of every trace; the context is the part. */
	const struct kt_activity_visitor *visitor;
	/* Called after all traces, once the earlier parts of the table have finished. */
	int (*finish)(void *part, struct kt_annotation *annotation);
	/*
	 * Adds a member with the part's name to `top`, the object "annotation", and members
	 * to the objects of states and transitions. KT_E_MEMORY.
	 */
	int (*json)(void *part, json_t *top, json_t *const *states,
		    json_t *const *transitions);
	/* Writes the part's section of the report: an empty line, a heading, then lines. */
	int (*text)(void *part, FILE *out);
	const struct kt_annotation_file *file; /* NULL: the part writes no file */
	void (*free)(void *part);              /* the part may be NULL */
};

/*
 * All parts in the order in which they finish; the last element is NULL. To add a part, add
 * a line to annotate/parts.c.
 */
extern const struct kt_annotation_part *const kt_annotation_parts[];

#endif
