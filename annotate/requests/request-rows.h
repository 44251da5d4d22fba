/* SPDX-License-Identifier: MIT */
/* Table rows that summarise several requests. */
#ifndef KTAIL_ANNOTATE_REQUEST_ROWS_H
#define KTAIL_ANNOTATE_REQUEST_ROWS_H

#include "annotate/events/times.h"
#include "annotate/requests/requests.h"
#include "base/table.h"

static inline void kt_put(struct kt_cell *row, int column, uint64_t number)
{
	row[column].number = number;
	row[column].known = true;
}

static inline void kt_put_transition(struct kt_cell *row, int column, uint32_t transition)
{
	if (transition != KT_UNPLACED) {
		kt_put(row, column, transition);
	}
}

/*
 * Sorts `times` and writes the median of owner 0 to `column` and the 99th percentile to the
 * next column. Without times, both cells stay unknown.
 */
void kt_put_quantiles(struct kt_cell *row, int column, struct kt_times *times);

/* Fills a row for the requests rows[0..n), which `compare` finds equal. KT_E_MEMORY. */
typedef int kt_request_row_fn(struct kt_cell *row, const struct kt_request *const *rows,
			      size_t n);

/*
 * Adds one row for each group of requests that `compare` finds equal. `compare` is a
 * function for qsort(3) that gets pointers to pointers to requests. The rows are in the
 * order of `compare`; with most_first, groups with more requests come first. KT_E_MEMORY.
 * O(n log n).
 */
int kt_request_rows(struct kt_table *out, const struct kt_requests *requests,
		    int (*compare)(const void *, const void *), kt_request_row_fn *fill,
		    bool most_first);

#endif
