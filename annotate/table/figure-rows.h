/* SPDX-License-Identifier: MIT */
/* Figures by name: of each function of the API, and of what no call drove. */
#ifndef KTAIL_ANNOTATE_FIGURE_ROWS_H
#define KTAIL_ANNOTATE_FIGURE_ROWS_H

#include <stdbool.h>

#include "annotate/table/figures.h"

struct kt_figure_row {
	char *name; /* Owned by this; "": outside of calls */
	char *api;  /* Owned by this; "" there */
	struct kt_figures figures;
	uint64_t *times; /* Owned by this: ns of each call that returned */
	size_t n_times;
	size_t capacity;
};

/* All zero: none. */
struct kt_figure_rows {
	struct kt_figure_row *rows; /* Owned by this; in byte order of their names */
	size_t n;
	size_t capacity;
};

/*
 * The row of that name, made if need be; valid until the next call. Where functions of two
 * interfaces have one name, the first one's interface stays. KT_E_MEMORY with a message.
 * O(log rows), O(rows) for a new one.
 */
int kt_figure_rows_find(struct kt_figure_rows *rows, struct kt_figure_row **out,
			const char *api, const char *name);

/* One call took that long. KT_E_MEMORY with a message. Amortised O(1). */
int kt_figure_row_time(struct kt_figure_row *row, uint64_t time);

/* The sum of all rows. */
void kt_figure_rows_sum(const struct kt_figure_rows *rows, struct kt_figures *out);

/*
 * The least time that at least so many thousandths of the calls did not exceed; false: none
 * returned. Changes the order of row->times. O(n log n).
 */
bool kt_figure_row_quantile(struct kt_figure_row *row, unsigned permille, uint64_t *out);

void kt_figure_rows_free(struct kt_figure_rows *rows);

#endif
