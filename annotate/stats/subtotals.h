/* SPDX-License-Identifier: MIT */
/* What was submitted, by channel or by class, of several traces: tally.h's rows. */
#ifndef KTAIL_ANNOTATE_SUBTOTALS_H
#define KTAIL_ANNOTATE_SUBTOTALS_H

#include <stdbool.h>

#include "annotate/listing/tally.h"
#include "base/table.h"

/* One channel, or one class. */
struct kt_subtotal {
	const char *trace; /* Weak; NULL of a class, which is of all */
	struct kt_tally_row row;
	char class_name[16]; /* where the class has no name */
};

/* All zero, but for `classes`: none. */
struct kt_subtotals {
	bool classes;                  /* not channels */
	struct kt_subtotal *subtotals; /* Owned by this; classes by their numbers */
	size_t n;
	size_t capacity;
	uint64_t shown; /* submissions */
};

/*
 * Adds the trace in a folder; `path` is kept. totals are all zero before but for
 * reading.source, and the caller's to free, also on failure. Fails as
 * kt_submissions_read() does.
 */
int kt_subtotals_read(struct kt_subtotals *subtotals, const char *path,
		      struct kt_submission_totals *totals);

/*
 * What they are, then their sum, which of classes has no doorbells and entries: one may
 * hold methods of several. The caller frees the table; texts are the places'. KT_E_MEMORY.
 */
int kt_subtotals_table(struct kt_subtotals *subtotals, struct kt_table *table);

void kt_subtotals_free(struct kt_subtotals *subtotals);

#endif
