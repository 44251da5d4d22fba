/* SPDX-License-Identifier: MIT */
/* Submitted work by channel or by class, over several traces: rows of tally.h. */
#ifndef KTAIL_ANNOTATE_SUBTOTALS_H
#define KTAIL_ANNOTATE_SUBTOTALS_H

#include <stdbool.h>

#include "annotate/listing/tally.h"
#include "base/table.h"

/* A channel or a class. */
struct kt_subtotal {
	const char *trace; /* Weak; NULL for a class, which is summed over traces */
	struct kt_tally_row row;
	char class_name[16]; /* name of a class without a public name */
};

/* All zero except `classes`: empty. Free with kt_subtotals_free(). */
struct kt_subtotals {
	bool classes;                  /* by class instead of by channel */
	struct kt_subtotal *subtotals; /* Owned by this; classes by number */
	size_t n;
	size_t capacity;
	uint64_t shown; /* number of submissions */
};

/*
 * Adds what `part` selects of a trace; `path` must outlive the subtotals. *totals is all
 * zero before except reading.source, and freed by the caller, also on failure. Errors as
 * kt_submissions_read().
 */
int kt_subtotals_read(struct kt_subtotals *subtotals, const char *path,
		      const struct kt_trace_filter *part,
		      struct kt_submission_totals *totals);

/*
 * Makes a table of the rows and their sum. The sum over classes has no doorbells and
 * entries, as one submission may have methods of several classes. Texts belong to the
 * subtotals; the caller frees the table. KT_E_MEMORY.
 */
int kt_subtotals_table(struct kt_subtotals *subtotals, struct kt_table *table);

void kt_subtotals_free(struct kt_subtotals *subtotals);

#endif
