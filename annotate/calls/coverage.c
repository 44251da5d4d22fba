/* SPDX-License-Identifier: MIT */
#include "annotate/calls/coverage.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

static int compare(const struct kt_coverage_row *row, const struct kt_coverage_fields *f)
{
	int order = strcmp(row->api, f->api);

	if (!order) {
		order = strcmp(row->state, f->state);
	}
	if (!order) {
		order = strcmp(row->name, f->name);
	}
	return order ? order : strcmp(row->how, f->how);
}

static void free_row(struct kt_coverage_row *row)
{
	free(row->api);
	free(row->name);
	free(row->state);
	free(row->how);
}

static int take_coverage(void *context, const struct kt_moment *moment,
			 const struct kt_coverage_fields *fields)
{
	struct kt_coverage *c = context;
	struct kt_coverage_row *row;
	size_t at = 0; /* of the first row that is not below it */
	size_t high = c->n;

	(void)moment;
	while (at < high) {
		size_t middle = at + (high - at) / 2;

		if (compare(&c->rows[middle], fields) < 0) {
			at = middle + 1;
		} else {
			high = middle;
		}
	}
	if (at == c->n || compare(&c->rows[at], fields) != 0) {
		struct kt_coverage_row added = {.api = strdup(fields->api),
						.name = strdup(fields->name),
						.state = strdup(fields->state),
						.how = strdup(fields->how)};
		int code = added.api && added.name && added.state && added.how
				   ? kt_array_reserve(&c->rows, &c->capacity, c->n + 1)
				   : kt_no_memory("read coverage");

		if (code) {
			free_row(&added);
			return code;
		}
		memmove(&c->rows[at + 1], &c->rows[at], (c->n - at) * sizeof(*c->rows));
		c->rows[at] = added;
		c->n++;
	}
	row = &c->rows[at];
	row->processes++;
	if (strcmp(fields->state, "unseen") == 0) {
		/* The same entry points in each process: no sum. */
		row->calls = fields->calls > row->calls ? fields->calls : row->calls;
	} else {
		row->calls += fields->calls;
	}
	return KT_OK;
}

const struct kt_activity_visitor kt_coverage_visitor = {.coverage = take_coverage};

static const struct kt_column columns[] = {
	{"api", "api", KT_COLUMN_TEXT, 0},
	{"name", "entry point", KT_COLUMN_TEXT, 0},
	{"state", "state", KT_COLUMN_TEXT, 0},
	{"how", "how", KT_COLUMN_TEXT, 0},
	{"calls", "calls", KT_COLUMN_COUNT, 0},
	{"processes", "processes", KT_COLUMN_COUNT, 1},
};

int kt_coverage_table(const struct kt_coverage *coverage, struct kt_table *table)
{
	*table = (struct kt_table){.columns = columns,
				   .n_columns = sizeof(columns) / sizeof(columns[0])};
	for (size_t i = 0; i < coverage->n; i++) {
		const struct kt_coverage_row *row = &coverage->rows[i];
		struct kt_cell *cells;

		KT_TRY(kt_table_add(table, &cells));
		cells[KT_COVERAGE_API].text = row->api;
		cells[KT_COVERAGE_NAME].text = row->name;
		cells[KT_COVERAGE_STATE].text = row->state;
		cells[KT_COVERAGE_HOW].text = row->how;
		cells[KT_COVERAGE_CALLS] =
			(struct kt_cell){.number = row->calls, .known = true};
		cells[KT_COVERAGE_PROCESSES] =
			(struct kt_cell){.number = row->processes, .known = true};
	}
	return KT_OK;
}

void kt_coverage_free(struct kt_coverage *coverage)
{
	for (size_t i = 0; i < coverage->n; i++) {
		free_row(&coverage->rows[i]);
	}
	free(coverage->rows);
	*coverage = (struct kt_coverage){0};
}
