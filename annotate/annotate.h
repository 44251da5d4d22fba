/* SPDX-License-Identifier: MIT */
/* Annotates a machine: reads traces for all parts, and writes what they found. */
#ifndef KTAIL_ANNOTATE_ANNOTATE_H
#define KTAIL_ANNOTATE_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "annotate/events/gaps.h"
#include "annotate/meaning/annotation.h"
#include "infer/words/read/report.h"

/* Parts at most. */
#define KT_PARTS 16

/* All zero but for what its owner sets; all owned by this but the input. */
struct kt_annotate {
	const struct kt_annotation_part *const *table; /* Weak: ends with a NULL */
	struct kt_annotation_input input;
	void *parts[KT_PARTS];
	size_t n_parts;
	struct kt_annotation annotation;
	struct kt_meanings meanings;
	struct kt_gaps gaps; /* but for `cut`, which is of processes */
	uint64_t cut;        /* words without a known beginning or end */
	uint64_t calls;      /* of the API */
};

/*
 * Makes the parts. table, fsm and the members of input that are not of a trace must be set;
 * a label or phase that the machine has is taken away. KT_E_MEMORY, or as a part fails.
 */
int kt_annotate_begin(struct kt_annotate *annotate, struct kt_fsm *fsm);

/*
 * Reads the i-th trace, and tells of its events twice: for the roles of its memory, then
 * for the parts. Warnings about it go to `warnings`. KT_E_USAGE if the machine does not say
 * how its letters were made, else as kt_placement_make() and kt_activity_read() fail.
 */
int kt_annotate_read(struct kt_annotate *annotate, size_t i, FILE *warnings);

/* After the last trace. */
int kt_annotate_finish(struct kt_annotate *annotate);

void kt_annotate_free(struct kt_annotate *annotate);

/* The machine with all members; the report as text. KT_E_IO, KT_E_MEMORY. */
int kt_annotate_write_json(const struct kt_annotate *annotate, FILE *out);
int kt_annotate_write_text(const struct kt_annotate *annotate, FILE *out);

#endif
