/* SPDX-License-Identifier: MIT */
#include "annotate/calls/figures.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/order.h"
#include "base/try.h"

const struct kt_column *kt_figure_column(enum kt_figure figure)
{
	static const struct kt_column columns[] = {KT_FIGURES(KT_FIGURE_COLUMN)};

	return &columns[figure];
}

unsigned kt_figure_given_up(enum kt_figure figure)
{
	if (figure == KT_FIGURE_READS || figure == KT_FIGURE_WRITES) {
		return KT_GAVE_UP_ACCESSES;
	}
	return figure >= KT_FIGURE_SUBMISSIONS && figure < KT_FIGURE_WAITS
		       ? KT_GAVE_UP_COMMANDS
		       : 0;
}

bool kt_figures_partial(const struct kt_figures *figures, enum kt_figure figure)
{
	return figures->given_up & kt_figure_given_up(figure);
}

void kt_figures_add(struct kt_figures *sum, const struct kt_figures *more)
{
	for (size_t i = 0; i < KT_FIGURE_COUNT; i++) {
		sum->n[i] += more->n[i];
	}
	sum->given_up |= more->given_up;
}

void kt_figures_add_copy(struct kt_figures *sum, enum kt_figure way, uint64_t bytes,
			 uint64_t n)
{
	/* Upper limits, in bytes, of the first four of the five size classes. */
	static const uint64_t ends[] = {64, 4096, 24576, 1048576};
	enum kt_figure sizes = way == KT_FIGURE_INLINE   ? KT_FIGURE_INLINE_TO_64
			       : way == KT_FIGURE_DIRECT ? KT_FIGURE_DIRECT_TO_64
							 : KT_FIGURE_STAGED_TO_64;
	size_t size = 0;

	while (size < sizeof(ends) / sizeof(ends[0]) && bytes > ends[size]) {
		size++;
	}
	sum->n[way] += n;
	sum->n[way + 1] += bytes * n; /* the figure after `way` is the number of bytes
				       * copied this way */
	sum->n[KT_FIGURE_COPIED] += bytes * n;
	sum->n[sizes + size] += n;
}

static int compare_names(const void *name, const void *row)
{
	return strcmp(name, ((const struct kt_figure_row *)row)->name);
}

int kt_figure_rows_find(struct kt_figure_rows *rows, struct kt_figure_row **out,
			const char *api, const char *name)
{
	size_t at;

	if (!kt_array_find(&at, name, rows->rows, rows->n, compare_names)) {
		const char *kept_api = kt_texts_keep(&rows->texts, api);
		const char *kept_name = kt_texts_keep(&rows->texts, name);

		if (!kept_api || !kept_name) {
			return KT_E_MEMORY;
		}
		KT_TRY(kt_array_insert(&rows->rows, &rows->capacity, &rows->n, at));
		rows->rows[at].api = kept_api;
		rows->rows[at].name = kept_name;
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

bool kt_figure_row_quantile(struct kt_figure_row *row, unsigned permille, uint64_t *out)
{
	size_t rank;

	if (row->n_times == 0) {
		return false;
	}
	qsort(row->times, row->n_times, sizeof(*row->times), kt_compare_u64);
	rank = (row->n_times * permille + 999) / 1000;
	*out = row->times[rank > 0 ? rank - 1 : 0];
	return true;
}

void kt_figure_rows_free(struct kt_figure_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->rows[i].times);
	}
	free(rows->rows);
	kt_texts_free(&rows->texts);
	*rows = (struct kt_figure_rows){0};
}
