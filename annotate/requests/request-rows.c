/* SPDX-License-Identifier: MIT */
#include "annotate/requests/request-rows.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"

void kt_put_quantiles(struct kt_cell *row, int column, struct kt_times *times)
{
	struct kt_time_summary summary;

	if (times->n) {
		kt_times_sort(times);
		summary = kt_times_of(times, 0);
		kt_put(row, column, summary.median);
		kt_put(row, column + 1, summary.p99);
	}
}

/* Consecutive equal requests in the sorted array. */
struct group {
	size_t first;
	size_t n;
};

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a;
	const struct group *y = b;

	if (x->n != y->n) {
		return x->n < y->n ? 1 : -1;
	}
	return (x->first > y->first) - (x->first < y->first);
}

int kt_request_rows(struct kt_table *out, const struct kt_requests *requests,
		    int (*compare)(const void *, const void *), kt_request_row_fn *fill,
		    bool most_first)
{
	const struct kt_request **rows =
		malloc((requests->n + 1) * sizeof(struct kt_request *));
	struct group *groups = malloc((requests->n + 1) * sizeof(*groups));
	size_t n = 0;
	int code = KT_OK;

	if (!rows || !groups) {
		code = kt_no_memory("sort requests");
		goto end;
	}
	for (size_t i = 0; i < requests->n; i++) {
		rows[i] = &requests->requests[i];
	}
	qsort(rows, requests->n, sizeof(*rows), compare);
	for (size_t i = 0; i < requests->n; i++) {
		if (i == 0 || compare(&rows[i - 1], &rows[i]) != 0) {
			groups[n++] = (struct group){.first = i};
		}
		groups[n - 1].n++;
	}
	if (most_first) {
		qsort(groups, n, sizeof(*groups), compare_groups);
	}
	for (size_t i = 0; i < n; i++) {
		struct kt_cell *row;

		KT_TRY_END(kt_table_add(out, &row));
		KT_TRY_END(fill(row, rows + groups[i].first, groups[i].n));
	}
end:
	free(groups);
	free(rows);
	return code;
}
