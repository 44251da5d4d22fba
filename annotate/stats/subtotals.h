/* SPDX-License-Identifier: MIT */
/* Sums of submitted work over several traces, by channel or by class: rows of tally.h. */
#ifndef KTAIL_ANNOTATE_SUBTOTALS_H
#define KTAIL_ANNOTATE_SUBTOTALS_H

#include <stdbool.h>

#include "annotate/listing/tally.h"
#include "base/table.h"

/* The sum for a channel or a class. */
struct kt_subtotal {
	const char *trace; /* Weak: path; NULL for a class, which is summed over traces */
	struct kt_tally_row row;
	char class_name[16]; /* buffer for the name of a class without a public name */
};

/* All zero except `classes`: empty. Free with kt_subtotals_free(). */
struct kt_subtotals {
	bool classes;                  /* sum by class instead of by channel */
	struct kt_subtotal *subtotals; /* Owned by this; classes in order of number */
	size_t n;
	size_t capacity;
	uint64_t shown; /* number of selected submissions */
};

/*
 * Adds the submissions of a trace that `part` selects. `path` must outlive the subtotals.
 * *totals must be zero except for reading.source; the caller frees it, also on failure. Fails
 * as kt_submissions_read() does, or with KT_E_MEMORY.
 */
int kt_subtotals_read(struct kt_subtotals *subtotals, const char *path,
		      const struct kt_trace_filter *part,
		      struct kt_submission_totals *totals);

/*
 * Makes a table of the subtotals and their total. The total of classes has no doorbells and
 * entries: a submission with methods of several classes counts for each of them. Texts belong
 * to the subtotals; the caller frees the table. KT_E_MEMORY.
 */
int kt_subtotals_table(struct kt_subtotals *subtotals, struct kt_table *table);

void kt_subtotals_free(struct kt_subtotals *subtotals);

#endif
