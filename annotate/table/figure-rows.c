/* SPDX-License-Identifier: MIT */
#include "annotate/table/figure-rows.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

int kt_figure_rows_find(struct kt_figure_rows *rows, struct kt_figure_row **out,
			const char *api, const char *name)
{
	struct kt_figure_row row;
	size_t at = 0;
	size_t high = rows->n;

	while (at < high) {
		size_t middle = at + (high - at) / 2;

		if (strcmp(rows->rows[middle].name, name) < 0) {
			at = middle + 1;
		} else {
			high = middle;
		}
	}
	if (at == rows->n || strcmp(rows->rows[at].name, name) != 0) {
		KT_TRY(kt_array_reserve(&rows->rows, &rows->capacity, rows->n + 1));
		row = (struct kt_figure_row){.name = strdup(name), .api = strdup(api)};
		if (!row.name || !row.api) {
			free(row.name);
			free(row.api);
			return kt_no_memory("count calls");
		}
		memmove(&rows->rows[at + 1], &rows->rows[at],
			(rows->n - at) * sizeof(*rows->rows));
		rows->rows[at] = row;
		rows->n++;
	}
	*out = &rows->rows[at];
	return KT_OK;
}

int kt_figure_row_time(struct kt_figure_row *row, uint64_t time)
{
	KT_TRY(kt_array_reserve(&row->times, &row->capacity, row->n_times + 1));
	row->times[row->n_times++] = time;
	return KT_OK;
}

void kt_figure_rows_sum(const struct kt_figure_rows *rows, struct kt_figures *out)
{
	*out = (struct kt_figures){0};
	for (size_t i = 0; i < rows->n; i++) {
		kt_figures_add(out, &rows->rows[i].figures);
	}
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

bool kt_figure_row_quantile(struct kt_figure_row *row, unsigned permille, uint64_t *out)
{
	size_t place;

	if (row->n_times == 0) {
		return false;
	}
	qsort(row->times, row->n_times, sizeof(*row->times), compare_times);
	place = (row->n_times * permille + 999) / 1000;
	*out = row->times[place > 0 ? place - 1 : 0];
	return true;
}

void kt_figure_rows_free(struct kt_figure_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->rows[i].name);
		free(rows->rows[i].api);
		free(rows->rows[i].times);
	}
	free(rows->rows);
	*rows = (struct kt_figure_rows){0};
}
