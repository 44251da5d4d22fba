/* SPDX-License-Identifier: MIT */
/* Rows of tables that stand for many requests each. */
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
 * Median, and in the next column the 99th percentile, of times of owner 0, which it sorts;
 * unknown if there are none.
 */
void kt_put_quantiles(struct kt_cell *row, int column, struct kt_times *times);

/* Fills a row for rows[0..n), which are alike. KT_E_MEMORY. */
typedef int kt_request_row_fn(struct kt_cell *row, const struct kt_request *const *rows,
			      size_t n);

/*
 * Adds a row for all requests that `compare` (of pointers to pointers, as qsort(3) has
 * them) calls alike: in the order of `compare`, or those of most requests first, and only
 * then so. KT_E_MEMORY. O(n log n).
 */
int kt_request_rows(struct kt_table *out, const struct kt_requests *requests,
		    int (*compare)(const void *, const void *), kt_request_row_fn *fill,
		    bool most_first);

#endif
