/* SPDX-License-Identifier: MIT */
#include "annotate/pairs/pair-sums.h"

#include <string.h>

#include <ktail/status.h>

#include "annotate/requests/request-rows.h"
#include "base/try.h"

enum column {
	TIMES,
	GROUP,
	KIND,
	HOW,
	CALL,
	TRACE,
	TIME,
	SEQ,
	COLUMNS,
};

static const struct kt_column columns[COLUMNS] = {
	[TIMES] = {"times", "times", KT_COLUMN_COUNT, 0},
	[GROUP] = {"group", "group", KT_COLUMN_TEXT, 0},
	[KIND] = {"kind", "kind", KT_COLUMN_TEXT, 0},
	/*
	 * In the table of resources left at exit, all texts of this column are NULL, and the
	 * column is hidden.
	 */
	[HOW] = {"how", "how", KT_COLUMN_TEXT, 0},
	[CALL] = {"call", "in", KT_COLUMN_TEXT, 0},
	[TRACE] = {"trace", "first in trace", KT_COLUMN_TEXT, 2},
	[TIME] = {"time", "at (us)", KT_COLUMN_TIME, 0},
	[SEQ] = {"seq", "seq", KT_COLUMN_COUNT, 1},
};

static bool same_text(const struct kt_cell *a, const struct kt_cell *b)
{
	return strcmp(a->text ? a->text : "", b->text ? b->text : "") == 0;
}

/*
 * Counts a case in the row with the same group, kind, `how` and call as the case. If there is
 * no such row, adds one, with `path` and `event` as the first case. Sets one[CALL].
 */
static int count_one(struct kt_table *out, struct kt_cell one[COLUMNS], const char *path,
		     const struct kt_pair_event *event)
{
	struct kt_cell *row;

	one[CALL].text = event->call;
	for (size_t i = 0; i < out->n_rows; i++) {
		row = &out->cells[i * COLUMNS];
		if (same_text(&row[GROUP], &one[GROUP]) &&
		    same_text(&row[KIND], &one[KIND]) && same_text(&row[HOW], &one[HOW]) &&
		    same_text(&row[CALL], &one[CALL])) {
			row[TIMES].number++;
			return KT_OK;
		}
	}
	KT_TRY(kt_table_add(out, &row));
	memcpy(row, one, COLUMNS * sizeof(*row));
	row[TRACE].text = path;
	kt_put(row, TIMES, 1);
	kt_put(row, TIME, event->time);
	kt_put(row, SEQ, event->seq);
	return KT_OK;
}

int kt_pair_sums_left(struct kt_table *out, const struct kt_pairs *pairs,
		      const char *const *paths)
{
	*out = (struct kt_table){.columns = columns, .n_columns = COLUMNS};
	for (size_t i = 0; i < pairs->n; i++) {
		const struct kt_resource *resource = &pairs->resources[i];
		struct kt_cell one[COLUMNS] = {
			[GROUP] = {.text = kt_resource_group_name(resource->group)},
			[KIND] = {.text = resource->kind}};

		if (resource->end == KT_END_LEFT) {
			KT_TRY(count_one(out, one, paths[resource->trace], &resource->up));
		}
	}
	return KT_OK;
}

int kt_pair_sums_wrong(struct kt_table *out, const struct kt_pairs *pairs,
		       const char *const *paths)
{
	*out = (struct kt_table){.columns = columns, .n_columns = COLUMNS};
	for (size_t i = 0; i < pairs->n_wrong; i++) {
		const struct kt_wrong_end *wrong = &pairs->wrong[i];
		struct kt_cell one[COLUMNS] = {
			[GROUP] = {.text = kt_resource_group_name(wrong->group)},
			[KIND] = {.text = wrong->kind},
			[HOW] = {.text = kt_misstep_name(wrong->misstep)}};

		KT_TRY(count_one(out, one, paths[wrong->trace], &wrong->event));
	}
	return KT_OK;
}
