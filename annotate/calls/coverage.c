/* SPDX-License-Identifier: MIT */
#include "annotate/calls/coverage.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

static int compare(const struct kt_coverage_row *row, const struct kt_coverage_fields *f)
{
	int order = strcmp(row->api, f->api);

	order = order ? order : strcmp(row->state, f->state);
	order = order ? order : strcmp(row->name, f->name);
	return order ? order : strcmp(row->how, f->how);
}

/* The first row that is not below it. */
static size_t lower_bound(const struct kt_coverage *c, const struct kt_coverage_fields *f)
{
	size_t low = 0;
	size_t high = c->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&c->rows[middle], f) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static void free_row(struct kt_coverage_row *row)
{
	free(row->api);
	free(row->name);
	free(row->state);
	free(row->how);
}

static int insert(struct kt_coverage *c, size_t at, const struct kt_coverage_fields *f)
{
	struct kt_coverage_row row = {.api = strdup(f->api),
				      .name = strdup(f->name),
				      .state = strdup(f->state),
				      .how = strdup(f->how)};
	int code = row.api && row.name && row.state && row.how
			   ? kt_array_reserve(&c->rows, &c->capacity, c->n + 1)
			   : kt_error(KT_E_MEMORY, "read coverage: out of memory");

	if (code) {
		free_row(&row);
		return code;
	}
	memmove(&c->rows[at + 1], &c->rows[at], (c->n - at) * sizeof(*c->rows));
	c->rows[at] = row;
	c->n++;
	return KT_OK;
}

static int take_coverage(void *context, const struct kt_moment *moment,
			 const struct kt_coverage_fields *fields)
{
	struct kt_coverage *c = context;
	size_t at = lower_bound(c, fields);
	struct kt_coverage_row *row;
	int code = KT_OK;

	(void)moment;
	if (at == c->n || compare(&c->rows[at], fields) != 0) {
		code = insert(c, at, fields);
	}
	if (code) {
		return code;
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
	int code = KT_OK;

	*table = (struct kt_table){.columns = columns,
				   .n_columns = sizeof(columns) / sizeof(columns[0])};
	for (size_t i = 0; !code && i < coverage->n; i++) {
		const struct kt_coverage_row *row = &coverage->rows[i];
		struct kt_cell *cells;

		code = kt_table_add(table, &cells);
		if (!code) {
			cells[KT_COVERAGE_API].text = row->api;
			cells[KT_COVERAGE_NAME].text = row->name;
			cells[KT_COVERAGE_STATE].text = row->state;
			cells[KT_COVERAGE_HOW].text = row->how;
			cells[KT_COVERAGE_CALLS] =
				(struct kt_cell){.number = row->calls, .known = true};
			cells[KT_COVERAGE_PROCESSES] =
				(struct kt_cell){.number = row->processes, .known = true};
		}
	}
	return code;
}

void kt_coverage_free(struct kt_coverage *coverage)
{
	for (size_t i = 0; i < coverage->n; i++) {
		free_row(&coverage->rows[i]);
	}
	free(coverage->rows);
	*coverage = (struct kt_coverage){0};
}
