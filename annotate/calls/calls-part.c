/* SPDX-License-Identifier: MIT */
#include "annotate/calls/calls-part.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/calls/call-figures.h"
#include "base/terminal.h"
#include "base/try.h"

#define WIDTH 100 /* characters per line of the table, if the output is not a terminal */

static int make(void **part, const struct kt_annotation_input *input)
{
	(void)input;
	*part = calloc(1, sizeof(struct kt_call_figures));
	return *part ? KT_OK : kt_no_memory("count calls");
}

/* Orders by descending number of calls, then by name. */
static int compare_rows(const void *a, const void *b)
{
	const struct kt_figure_row *x = *(struct kt_figure_row *const *)a;
	const struct kt_figure_row *y = *(struct kt_figure_row *const *)b;
	uint64_t p = x->figures.n[KT_FIGURE_CALLS];
	uint64_t q = y->figures.n[KT_FIGURE_CALLS];
	int order = (p < q) - (p > q);

	return order ? order : strcmp(x->name, y->name);
}

static int set_number(json_t *object, const char *key, uint64_t number)
{
	return json_object_set_new(object, key, json_integer((json_int_t)number));
}

static int write_json(void *part, json_t *top, json_t *const *states,
		      json_t *const *transitions)
{
	const struct kt_figure_rows *rows = &((struct kt_call_figures *)part)->rows;
	struct kt_figure_row **sorted = calloc(rows->n + 1, sizeof(*sorted));
	json_t *array = json_array();
	int wrong = !sorted || !array;
	size_t n = 0;

	(void)states;
	(void)transitions;
	for (size_t i = 0; !wrong && i < rows->n; i++) {
		if (rows->rows[i].name[0]) {
			sorted[n++] = &rows->rows[i];
		}
	}
	if (n > 0) {
		qsort(sorted, n, sizeof(struct kt_figure_row *), compare_rows);
	}
	for (size_t i = 0; !wrong && i < n; i++) {
		struct kt_figure_row *row = sorted[i];
		json_t *object =
			json_pack("{s:s, s:s}", "name", row->name, "api", row->api);
		uint64_t time;

		wrong = json_array_append_new(array, object);
		for (int j = 0; !wrong && j < KT_FIGURE_COUNT; j++) {
			if (kt_figures_partial(&row->figures, (enum kt_figure)j)) {
				wrong = json_object_set_new(
					object, kt_figure_column((enum kt_figure)j)->key,
					json_null());
			} else if (row->figures.n[j]) {
				wrong = set_number(object, kt_figure_column((enum kt_figure)j)->key,
						   row->figures.n[j]);
			}
		}
		if (!wrong && kt_figure_row_quantile(row, 500, &time)) {
			wrong = set_number(object, "median", time);
		}
		if (!wrong && kt_figure_row_quantile(row, 990, &time)) {
			wrong = set_number(object, "p99", time);
		}
	}
	wrong = wrong || json_object_set(top, "calls", array);
	json_decref(array);
	free(sorted);
	return wrong ? kt_no_memory("count calls") : KT_OK;
}

static int write_text(void *part, FILE *out)
{
	const size_t terminal = kt_terminal_width(out);
	struct kt_table table = {.n_rows = 0};
	int code = KT_OK;

	KT_TRY(kt_call_figures_table(part, &table));
	/* Without calls the table has two rows: for events outside calls, and the sum. */
	if (table.n_rows > 2) {
		fputs("\nAPI calls (ktail stats --wide: all columns)\n", out);
		code = kt_table_print_text(out, &table, terminal ? terminal : WIDTH);
	}
	kt_table_free(&table);
	return code;
}

static void free_part(void *part)
{
	if (part) {
		kt_call_figures_free(part);
		free(part);
	}
}

const struct kt_annotation_part kt_calls_part = {
	.name = "calls",
	.make = make,
	.visitor = &kt_call_figures_visitor,
	.json = write_json,
	.text = write_text,
	.free = free_part,
};
