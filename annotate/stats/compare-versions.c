/* SPDX-License-Identifier: MIT */
#include "annotate/stats/compare-versions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/changes/exact-test.h"
#include "infer/changes/rank-test.h"

#define LEVEL 0.05 /* maximum probability that chance alone gives any finding */

void kt_stats_version_free(struct kt_stats_version *version)
{
	for (size_t i = 0; i < version->n; i++) {
		kt_figure_rows_free(&version->recordings[i]);
	}
	free(version->recordings);
	*version = (struct kt_stats_version){.n = 0};
}

void kt_compared_versions_free(struct kt_compared_versions *versions)
{
	free(versions->figures);
	kt_texts_free(&versions->texts);
	*versions = (struct kt_compared_versions){.n = 0};
}

int kt_stats_version_add(struct kt_stats_version *version, struct kt_figure_rows **out)
{
	KT_TRY(kt_array_reserve(&version->recordings, &version->capacity, version->n + 1));
	*out = &version->recordings[version->n++];
	memset(*out, 0, sizeof(**out));
	return KT_OK;
}

static uint64_t value_of(const struct kt_figure_rows *rows, const char *name,
			 enum kt_figure figure)
{
	for (size_t i = 0; i < rows->n; i++) {
		if (strcmp(rows->rows[i].name, name) == 0) {
			return rows->rows[i].figures.n[figure];
		}
	}
	return 0;
}

static bool is_known(const struct kt_figure_rows *rows, const char *name,
		     enum kt_figure figure)
{
	for (size_t i = 0; i < rows->n; i++) {
		if (strcmp(rows->rows[i].name, name) == 0) {
			return !kt_figures_partial(&rows->rows[i].figures, figure);
		}
	}
	return true;
}

/*
 * Returns whether `last` is the total time of `call` and equals `self`, the time of
 * `call` without inner calls. The two are equal if no calls are made within `call`, and
 * then only the total time is shown.
 */
static bool is_time_of(const struct kt_compared_figure *last, const char *call,
		       const struct kt_rank_test *self)
{
	return last->figure == KT_FIGURE_TIME && strcmp(last->call, call) == 0 &&
	       last->median[0] == self->median[0] && last->median[1] == self->median[1] &&
	       last->low == self->low && last->high == self->high;
}

/*
 * Compares a figure of a function, unless the figure is the same in all recordings, or
 * unknown in one, whose recorder gave up what it counts.
 */
static int compare_figure(struct kt_compared_versions *out,
			  const struct kt_stats_version *versions[2], double *values,
			  const char *call, enum kt_figure figure)
{
	struct kt_compared_figure *added;
	struct kt_rank_test test;
	bool differs = false;
	bool known = true;
	size_t n = 0;

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < versions[s]->n; i++) {
			values[n] =
				(double)value_of(&versions[s]->recordings[i], call, figure);
			known = known &&
				is_known(&versions[s]->recordings[i], call, figure);
			differs = differs || values[n] != values[0];
			n++;
		}
	}
	if (!differs || !known) {
		return KT_OK;
	}
	KT_TRY(kt_rank_test(&test, values, versions[0]->n, values + versions[0]->n,
			    versions[1]->n));
	if (figure == KT_FIGURE_SELF && out->n > 0 &&
	    is_time_of(&out->figures[out->n - 1], call, &test)) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&out->figures, &out->capacity, out->n + 1));
	added = &out->figures[out->n++];
	*added = (struct kt_compared_figure){.call = call,
					     .figure = figure,
					     .median = {test.median[0], test.median[1]},
					     .shift = test.shift,
					     .low = test.low,
					     .high = test.high,
					     .p = test.p,
					     .least = test.least};
	return KT_OK;
}

static int by_finding(const void *a, const void *b)
{
	const struct kt_compared_figure *x = a;
	const struct kt_compared_figure *y = b;
	int order = y->found - x->found;

	order = order ? order : strcmp(x->call, y->call);
	return order ? order : (int)x->figure - (int)y->figure;
}

/* Sets `found`, `n_found` and `hopeless`, and sorts the figures. */
static int judge(struct kt_compared_versions *out)
{
	double *least = calloc(out->n + 1, sizeof(*least));
	double bound;

	if (!least) {
		return kt_no_memory("compare figures");
	}
	for (size_t i = 0; i < out->n; i++) {
		least[i] = out->figures[i].least;
	}
	bound = kt_tarone_bound(least, out->n, LEVEL);
	out->hopeless = out->n > 0;
	for (size_t i = 0; i < out->n; i++) {
		out->figures[i].found = out->figures[i].p <= bound;
		out->n_found += out->figures[i].found;
		out->hopeless = out->hopeless && least[i] > bound;
	}
	free(least);
	if (out->n > 0) {
		qsort(out->figures, out->n, sizeof(*out->figures), by_finding);
	}
	return KT_OK;
}

int kt_compare_versions(struct kt_compared_versions *out,
			const struct kt_stats_version *old,
			const struct kt_stats_version *new)
{
	const struct kt_stats_version *versions[2] = {old, new};
	double *values = calloc(old->n + new->n + 1, sizeof(*values));
	struct kt_texts done = {.n = 0};
	int code = KT_OK;

	*out = (struct kt_compared_versions){.of = {old->n, new->n}};
	if (!values) {
		return kt_no_memory("compare figures");
	}
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < versions[s]->n; i++) {
			const struct kt_figure_rows *rows = &versions[s]->recordings[i];

			for (size_t r = 0; r < rows->n; r++) {
				const size_t before = done.n;
				uint32_t number;

				KT_TRY_END(
					kt_texts_add(&done, rows->rows[r].name, &number));
				for (int f = 0; done.n > before && f < KT_FIGURE_COUNT;
				     f++) {
					KT_TRY_END(compare_figure(out, versions, values,
								  rows->rows[r].name,
								  (enum kt_figure)f));
				}
			}
		}
	}
	code = judge(out);
end:
	kt_texts_free(&done);
	free(values);
	return code;
}

/* --- table --- */

static const struct kt_column columns[] = {
	{"call", "call", KT_COLUMN_TEXT, 0},
	{"figure", "figure", KT_COLUMN_TEXT, 0},
	{"old", "old", KT_COLUMN_TEXT, 0},
	{"new", "new", KT_COLUMN_TEXT, 0},
	{"difference", "difference", KT_COLUMN_TEXT, 0},
	{"interval", "95 %", KT_COLUMN_TEXT, 2},
	{"p", "p", KT_COLUMN_TEXT, 1},
	{"found", "found", KT_COLUMN_TEXT, KT_COLUMN_WIDE},
};

/* Writes a number: nanoseconds as microseconds, and with its sign if `sign` is set. */
static void write_number(char out[static 32], const struct kt_column *column, double value,
			 bool sign)
{
	if (column->kind == KT_COLUMN_TIME) {
		snprintf(out, 32, sign ? "%+.3f us" : "%.3f us", value / 1000);
	} else {
		snprintf(out, 32, sign ? "%+.10g" : "%.10g", value);
	}
}

int kt_compared_versions_table(struct kt_compared_versions *versions, struct kt_table *out,
			       bool all)
{
	*out = KT_TABLE_OF(columns);
	for (size_t i = 0; i < (all ? versions->n : versions->n_found); i++) {
		const struct kt_compared_figure *f = &versions->figures[i];
		const struct kt_column *figure = kt_figure_column(f->figure);
		char texts[6][72];
		const char *kept[6];

		write_number(texts[0], figure, f->median[0], false);
		write_number(texts[1], figure, f->median[1], false);
		write_number(texts[2], figure, f->shift, true);
		write_number(texts[4], figure, f->low, true);
		write_number(texts[5], figure, f->high, true);
		snprintf(texts[3], sizeof(texts[3]), "%.31s to %.31s", texts[4], texts[5]);
		snprintf(texts[4], sizeof(texts[4]), "%.2g", f->p);
		for (int t = 0; t < 5; t++) {
			kept[t] = kt_texts_keep(&versions->texts, texts[t]);
			if (!kept[t]) {
				return KT_E_MEMORY;
			}
		}
		KT_TRY(KT_TABLE_ROW(
			out, KT_TEXT_CELL(f->call[0] ? f->call : "(outside of calls)"),
			KT_TEXT_CELL(figure->key), KT_TEXT_CELL(kept[0]),
			KT_TEXT_CELL(kept[1]), KT_TEXT_CELL(kept[2]), KT_TEXT_CELL(kept[3]),
			KT_TEXT_CELL(kept[4]), KT_TEXT_CELL(f->found ? "yes" : "")));
	}
	return KT_OK;
}
