/* SPDX-License-Identifier: MIT */
#include "annotate/requests/request-rows.h"

#include <stdlib.h>
#include <string.h>

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

/* Where a row stands now, and by what it is ordered. */
struct place {
	uint64_t count;
	size_t at;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;

	if (x->count != y->count) {
		return x->count < y->count ? 1 : -1;
	}
	return (x->at > y->at) - (x->at < y->at);
}

int kt_request_rows(struct kt_table *out, const struct kt_requests *requests,
		    int (*compare)(const void *, const void *), kt_request_row_fn *fill,
		    int count)
{
	const struct kt_request **rows =
		malloc((requests->n + 1) * sizeof(struct kt_request *));
	struct place *places = NULL;
	struct kt_cell *cells = NULL;
	size_t width = out->n_columns;
	int code = KT_OK;

	if (!rows) {
		return kt_no_memory("sort requests");
	}
	for (size_t i = 0; i < requests->n; i++) {
		rows[i] = &requests->requests[i];
	}
	qsort(rows, requests->n, sizeof(*rows), compare);
	for (size_t i = 0, next; i < requests->n; i = next) {
		struct kt_cell *row;

		next = i + 1;
		while (next < requests->n && compare(&rows[i], &rows[next]) == 0) {
			next++;
		}
		KT_TRY_END(kt_table_add(out, &row));
		KT_TRY_END(fill(row, rows + i, next - i));
	}
	if (count < 0) {
		goto end;
	}
	places = malloc((out->n_rows + 1) * sizeof(*places));
	cells = malloc((out->n_rows * width + 1) * sizeof(*cells));
	if (!places || !cells) {
		code = kt_no_memory("sort requests");
		goto end;
	}
	for (size_t i = 0; i < out->n_rows; i++) {
		places[i] = (struct place){out->cells[i * width + (size_t)count].number, i};
	}
	qsort(places, out->n_rows, sizeof(*places), compare_places);
	for (size_t i = 0; i < out->n_rows; i++) {
		memcpy(cells + i * width, out->cells + places[i].at * width,
		       width * sizeof(*cells));
	}
	if (out->n_rows) {
		memcpy(out->cells, cells, out->n_rows * width * sizeof(*cells));
	}
end:
	free(places);
	free(cells);
	free(rows);
	return code;
}
