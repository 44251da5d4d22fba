/* SPDX-License-Identifier: MIT */
/* Figures of calls as a table. */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/calls/call-figures.h"
#include "base/try.h"

#define OUTSIDE "(outside of calls)"

enum place { PLACE_CALL, PLACE_API, PLACE_FIGURES };

static const struct kt_column columns[] = {
	{"call", "call", KT_COLUMN_TEXT, 0},
	{"api", "api", KT_COLUMN_TEXT, 9},
	KT_FIGURES_OF_CALLS(KT_FIGURE_COLUMN) /* up to KT_FIGURE_SELF */
	{"median", "median", KT_COLUMN_TIME, 3},
	{"p99", "p99", KT_COLUMN_TIME, 4},
	KT_FIGURES_OF_WORK(KT_FIGURE_COLUMN)};

enum {
	PLACE_MEDIAN = PLACE_FIGURES + KT_FIGURE_SELF + 1,
	PLACE_P99,
	COLUMNS = sizeof(columns) / sizeof(columns[0]),
};

static int add_figures(struct kt_table *table, const struct kt_figures *figures,
		       struct kt_cell **out)
{
	KT_TRY(kt_table_add(table, out));
	for (size_t i = 0; i < KT_FIGURE_COUNT; i++) {
		(*out)[PLACE_FIGURES + i + (i > KT_FIGURE_SELF ? 2 : 0)] =
			(struct kt_cell){.number = figures->n[i], .known = true};
	}
	return KT_OK;
}

static int descending(uint64_t x, uint64_t y)
{
	return (x < y) - (x > y);
}

/* The longest time first; outside of calls behind them. */
static int compare_rows(const void *a, const void *b)
{
	const struct kt_figure_row *x = *(struct kt_figure_row *const *)a;
	const struct kt_figure_row *y = *(struct kt_figure_row *const *)b;
	int order = (x->name[0] == '\0') - (y->name[0] == '\0');

	if (!order) {
		order = descending(x->figures.n[KT_FIGURE_TIME],
				   y->figures.n[KT_FIGURE_TIME]);
	}
	if (!order) {
		order = descending(x->figures.n[KT_FIGURE_CALLS],
				   y->figures.n[KT_FIGURE_CALLS]);
	}
	return order ? order : strcmp(x->name, y->name);
}

int kt_call_figures_table(struct kt_call_figures *figures, struct kt_table *table)
{
	struct kt_figure_rows *rows = &figures->rows;
	struct kt_figure_row **sorted;
	struct kt_figure_row *outside;
	struct kt_figures sum;
	struct kt_cell *cells;
	int code;

	KT_TRY(kt_figure_rows_find(rows, &outside, "", ""));
	sorted = calloc(rows->n, sizeof(*sorted));
	if (!sorted) {
		return kt_no_memory("count calls");
	}
	for (size_t i = 0; i < rows->n; i++) {
		sorted[i] = &rows->rows[i];
	}
	qsort(sorted, rows->n, sizeof(struct kt_figure_row *), compare_rows);
	*table = (struct kt_table){.columns = columns, .n_columns = COLUMNS};
	for (size_t i = 0; i < rows->n; i++) {
		struct kt_figure_row *row = sorted[i];

		KT_TRY_END(add_figures(table, &row->figures, &cells));
		cells[PLACE_CALL].text = row->name[0] ? row->name : OUTSIDE;
		cells[PLACE_API].text = row->api;
		cells[PLACE_MEDIAN].known =
			kt_figure_row_quantile(row, 500, &cells[PLACE_MEDIAN].number);
		cells[PLACE_P99].known =
			kt_figure_row_quantile(row, 990, &cells[PLACE_P99].number);
	}
	/* Calls in calls count once. */
	kt_figure_rows_sum(rows, &sum);
	sum.n[KT_FIGURE_TIME] = sum.n[KT_FIGURE_SELF];
	KT_TRY_END(add_figures(table, &sum, &cells));
	cells[PLACE_CALL].text = "all";
	table->has_total = true;
end:
	free(sorted);
	if (code) {
		kt_table_free(table);
	}
	return code;
}
