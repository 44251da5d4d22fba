/* SPDX-License-Identifier: MIT */
/*
 * Annotates a machine: reads traces, reports their events to all parts of the annotation,
 * and writes the results of the parts.
 */
#ifndef KTAIL_ANNOTATE_ANNOTATE_H
#define KTAIL_ANNOTATE_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "annotate/events/gaps.h"
#include "annotate/events/given-up-rows.h"
#include "annotate/meaning/annotation.h"
#include "infer/words/read/report.h"

/* Largest number of parts. */
#define KT_PARTS 16

/*
 * The caller sets `table` and `input`, which it continues to own, and sets all other
 * members to zero. Free with kt_annotate_free().
 */
struct kt_annotate {
	const struct kt_annotation_part *const *table; /* Weak: ends with a NULL */
	struct kt_annotation_input input;
	void *parts[KT_PARTS];
	size_t n_parts;
	struct kt_annotation annotation;
	struct kt_meanings meanings;
	struct kt_given_up_rows given_up; /* Owned by this */
	struct kt_gaps gaps; /* `cut` stays 0; losses.truncated counts the truncated words
			      * instead */
	uint64_t calls;      /* number of API calls */
};

/*
 * Creates the parts, and removes labels and phases from the machine. `table` and the
 * members of `input` that do not depend on a trace must be set. KT_E_MEMORY, or the error
 * of a part.
 */
int kt_annotate_begin(struct kt_annotate *annotate, struct kt_fsm *fsm);

/*
 * Reads the i-th trace twice: first to find the roles of mapped memory (kt_roles), then to
 * report the events to the parts. Warnings are written to `warnings`, which may be NULL.
 * KT_E_USAGE if the machine does not name its alphabet; otherwise fails as
 * kt_placement_make() and kt_activity_read() do.
 */
int kt_annotate_read(struct kt_annotate *annotate, size_t i, FILE *warnings);

/*
 * Does the same for n > 0 annotations of the same traces, in two readings for all
 * annotations together. At the end of a trace, the parts of an earlier annotation are
 * called before those of a later annotation.
 */
int kt_annotate_read_all(struct kt_annotate *const *annotations, size_t n, size_t i,
			 FILE *warnings);

/* Finishes all parts, after the last trace. */
int kt_annotate_finish(struct kt_annotate *annotate);

void kt_annotate_free(struct kt_annotate *annotate);

/*
 * Write the machine, with everything that the parts add to it, as JSON; or write the report
 * of the parts as text. KT_E_IO, KT_E_MEMORY.
 */
int kt_annotate_write_json(const struct kt_annotate *annotate, FILE *out);
int kt_annotate_write_text(const struct kt_annotate *annotate, FILE *out);

#endif
