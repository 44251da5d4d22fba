/* SPDX-License-Identifier: MIT */
/*
 * Sums of submitted work over several traces, by channel, context or class. Each sum is a
 * row of tally.h.
 */
#ifndef KTAIL_ANNOTATE_SUBTOTALS_H
#define KTAIL_ANNOTATE_SUBTOTALS_H

#include <stdbool.h>

#include "annotate/events/device-times.h"
#include "annotate/listing/tally.h"
#include "base/table.h"

enum kt_subtotals_by { KT_BY_CHANNEL, KT_BY_CONTEXT, KT_BY_CLASS };

/* The sum for a channel, a context or a class. */
struct kt_subtotal {
	const char *trace; /* Weak: path; NULL for a class, summed over all traces */
	struct kt_tally_row
		/*
		 * of a context: `channel` and `class_number` are those of any one of its
		 * channels
		 */
		row;
	uint32_t context;  /* handle of the context share (contexts.h); 0: unknown */
	uint64_t channels; /* of a context: number of its channels with submissions */
	struct kt_device_sum device; /* zero for a class */
	char class_name[16]; /* buffer for the name of a class without a public name */
};

/* Empty if all members except `by` are zero. Free with kt_subtotals_free(). */
struct kt_subtotals {
	enum kt_subtotals_by by;
	bool timed;                    /* a submission had a time of the device */
	struct kt_subtotal *subtotals; /* Owned by this; classes are sorted by number */
	size_t n;
	size_t capacity;
	uint64_t shown; /* number of selected submissions */
};

/*
 * Adds those submissions of the trace at `path` that `part` selects. `path` must outlive
 * the subtotals. *totals must be zero except for reading.source; the caller frees *totals,
 * also on failure. Fails as kt_submissions_read() does, or with KT_E_MEMORY.
 */
int kt_subtotals_read(struct kt_subtotals *subtotals, const char *path,
		      const struct kt_trace_filter *part,
		      struct kt_submission_totals *totals);

/* Returns an empty table with the columns of kt_subtotals_table(). */
struct kt_table kt_subtotals_head(const struct kt_subtotals *subtotals);

/*
 * Makes a table of the subtotals and their total. The total of classes has no doorbells
 * and entries, because a submission with methods of several classes is counted for each of
 * these classes. The texts in the table belong to the subtotals; the caller frees the
 * table. KT_E_MEMORY.
 */
int kt_subtotals_table(struct kt_subtotals *subtotals, struct kt_table *table);

void kt_subtotals_free(struct kt_subtotals *subtotals);

#endif
