/* SPDX-License-Identifier: MIT */
#include "annotate/calls/coverage.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

static int compare(const void *key, const void *item)
{
	const struct kt_coverage_fields *f = key;
	const struct kt_coverage_row *row = item;
	int order = strcmp(f->api, row->api);

	order = order ? order : strcmp(f->state, row->state);
	order = order ? order : strcmp(f->name, row->name);
	return order ? order : strcmp(f->how, row->how);
}

static int take_coverage(void *context, const struct kt_moment *moment,
			 const struct kt_coverage_fields *fields)
{
	struct kt_coverage *c = context;
	struct kt_coverage_row *row;
	size_t at;

	(void)moment;
	if (!kt_array_find(&at, fields, c->rows, c->n, compare)) {
		const struct kt_coverage_row added = {
			.api = kt_texts_keep(&c->texts, fields->api),
			.name = kt_texts_keep(&c->texts, fields->name),
			.state = kt_texts_keep(&c->texts, fields->state),
			.how = kt_texts_keep(&c->texts, fields->how)};

		if (!added.api || !added.name || !added.state || !added.how) {
			return KT_E_MEMORY;
		}
		KT_TRY(kt_array_insert(&c->rows, &c->capacity, &c->n, at));
		c->rows[at] = added;
	}
	row = &c->rows[at];
	row->processes++;
	if (strcmp(fields->state, "unseen") == 0) {
		/*
		 * Here `calls` is a number of entry points. Each process counts the same
		 * entry points, so take the maximum instead of the sum.
		 */
		row->calls = fields->calls > row->calls ? fields->calls : row->calls;
	} else {
		row->calls += fields->calls;
	}
	return KT_OK;
}

const struct kt_activity_visitor kt_coverage_visitor = {.of_part = true,
							.coverage = take_coverage};

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
	*table = KT_TABLE_OF(columns);
	for (size_t i = 0; i < coverage->n; i++) {
		const struct kt_coverage_row *row = &coverage->rows[i];

		KT_TRY(KT_TABLE_ROW(table, KT_TEXT_CELL(row->api), KT_TEXT_CELL(row->name),
				    KT_TEXT_CELL(row->state), KT_TEXT_CELL(row->how),
				    KT_CELL(row->calls), KT_CELL(row->processes)));
	}
	return KT_OK;
}

void kt_coverage_free(struct kt_coverage *coverage)
{
	free(coverage->rows);
	kt_texts_free(&coverage->texts);
	*coverage = (struct kt_coverage){0};
}
