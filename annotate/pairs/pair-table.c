/* SPDX-License-Identifier: MIT */
#include "annotate/pairs/pair-table.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/requests/request-rows.h"
#include "base/try.h"

/* --- resources --- */

enum resource_column {
	TRACE,
	TIME,
	PROCESS,
	PID,
	GROUP,
	KIND,
	ID,
	BYTES,
	UP_IN,
	END,
	LIVED,
	DOWN_IN,
	SEQ,
	RESOURCE_COLUMNS,
};

static const struct kt_column resource_columns[RESOURCE_COLUMNS] = {
	[TRACE] = {"trace", "trace", KT_COLUMN_TEXT, KT_COLUMN_WIDE},
	[TIME] = {"time", "time", KT_COLUMN_TIME, 0},
	[PROCESS] = {"process", "process", KT_COLUMN_TEXT, 5},
	[PID] = {"pid", "pid", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
	[GROUP] = {"group", "group", KT_COLUMN_TEXT, 0},
	[KIND] = {"kind", "kind", KT_COLUMN_TEXT, 0},
	[ID] = {"id", "id", KT_COLUMN_HANDLE, 0},
	[BYTES] = {"bytes", "bytes", KT_COLUMN_COUNT, 3},
	[UP_IN] = {"call", "set up in", KT_COLUMN_TEXT, 1},
	[END] = {"end", "end", KT_COLUMN_TEXT, 0},
	[LIVED] = {"lived", "lifetime", KT_COLUMN_TIME, 1},
	[DOWN_IN] = {"end_call", "taken down in", KT_COLUMN_TEXT, 2},
	[SEQ] = {"seq", "seq", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
};

static const char *name_of(const struct kt_pair_event *event)
{
	return event->call ? event->call : "";
}

static bool was_taken_down(const struct kt_resource *resource)
{
	return resource->end == KT_END_OWN || resource->end == KT_END_ANCESTOR;
}

int kt_pair_table_resources(struct kt_table *out, const struct kt_pairs *pairs,
			    const char *const *paths, bool left_only)
{
	*out = (struct kt_table){.columns = resource_columns,
				 .n_columns = RESOURCE_COLUMNS};
	for (size_t i = 0; i < pairs->n; i++) {
		const struct kt_resource *resource = &pairs->resources[i];
		struct kt_cell *row;

		if (left_only && resource->end != KT_END_LEFT) {
			continue;
		}
		KT_TRY(kt_table_add(out, &row));
		row[TRACE].text = paths[resource->trace];
		row[PROCESS].text = resource->process;
		row[GROUP].text = kt_resource_group_name(resource->group);
		row[KIND].text = resource->kind;
		row[UP_IN].text = name_of(&resource->up);
		row[END].text = kt_resource_end_name(resource->end);
		row[DOWN_IN].text = name_of(&resource->down);
		kt_put(row, TIME, resource->up.time);
		kt_put(row, PID, resource->pid);
		kt_put(row, ID, resource->id);
		kt_put(row, SEQ, resource->up.seq);
		if (resource->group == KT_RESOURCE_MAPPING ||
		    resource->group == KT_RESOURCE_MEMORY) {
			kt_put(row, BYTES, resource->bytes);
		}
		if (was_taken_down(resource)) {
			kt_put(row, LIVED, resource->down.time - resource->up.time);
		}
	}
	return KT_OK;
}

/* --- wrong releases --- */

enum wrong_column {
	WRONG_TRACE,
	WRONG_TIME,
	WRONG_PROCESS,
	WRONG_PID,
	WRONG_GROUP,
	WRONG_KIND,
	WRONG_ID,
	WRONG_MISSTEP,
	WRONG_CALL,
	WRONG_SEQ,
	WRONG_COLUMNS,
};

static const struct kt_column wrong_columns[WRONG_COLUMNS] = {
	[WRONG_TRACE] = {"trace", "trace", KT_COLUMN_TEXT, KT_COLUMN_WIDE},
	[WRONG_TIME] = {"time", "time", KT_COLUMN_TIME, 0},
	[WRONG_PROCESS] = {"process", "process", KT_COLUMN_TEXT, 5},
	[WRONG_PID] = {"pid", "pid", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
	[WRONG_GROUP] = {"group", "group", KT_COLUMN_TEXT, 0},
	[WRONG_KIND] = {"kind", "kind", KT_COLUMN_TEXT, 0},
	[WRONG_ID] = {"id", "id", KT_COLUMN_HANDLE, 0},
	[WRONG_MISSTEP] = {"how", "how", KT_COLUMN_TEXT, 0},
	[WRONG_CALL] = {"call", "in", KT_COLUMN_TEXT, 1},
	[WRONG_SEQ] = {"seq", "seq", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
};

int kt_pair_table_wrong(struct kt_table *out, const struct kt_pairs *pairs,
			const char *const *paths)
{
	*out = (struct kt_table){.columns = wrong_columns, .n_columns = WRONG_COLUMNS};
	for (size_t i = 0; i < pairs->n_wrong; i++) {
		const struct kt_wrong_end *wrong = &pairs->wrong[i];
		struct kt_cell *row;

		KT_TRY(kt_table_add(out, &row));
		row[WRONG_TRACE].text = paths[wrong->trace];
		row[WRONG_PROCESS].text = wrong->process;
		row[WRONG_GROUP].text = kt_resource_group_name(wrong->group);
		row[WRONG_KIND].text = wrong->kind;
		row[WRONG_MISSTEP].text = kt_misstep_name(wrong->misstep);
		row[WRONG_CALL].text = name_of(&wrong->event);
		kt_put(row, WRONG_TIME, wrong->event.time);
		kt_put(row, WRONG_PID, wrong->pid);
		kt_put(row, WRONG_ID, wrong->id);
		kt_put(row, WRONG_SEQ, wrong->event.seq);
	}
	return KT_OK;
}

/* --- kinds --- */

enum kind_column {
	KIND_GROUP,
	KIND_KIND,
	KIND_UP,
	KIND_OWN,
	KIND_ANCESTOR,
	KIND_LEFT,
	KIND_EXEC,
	KIND_OPEN,
	KIND_REPLACED,
	KIND_MEDIAN,
	KIND_P99,
	KIND_COLUMNS,
};

static const struct kt_column kind_columns[KIND_COLUMNS] = {
	[KIND_GROUP] = {"group", "group", KT_COLUMN_TEXT, 0},
	[KIND_KIND] = {"kind", "kind", KT_COLUMN_TEXT, 0},
	[KIND_UP] = {"set_up", "set up", KT_COLUMN_COUNT, 0},
	[KIND_OWN] = {"taken_down", "taken down", KT_COLUMN_COUNT, 0},
	[KIND_ANCESTOR] = {"with_ancestor", "with ancestor", KT_COLUMN_COUNT, 2},
	[KIND_LEFT] = {"left", "left", KT_COLUMN_COUNT, 0},
	[KIND_EXEC] = {"exec", "at exec", KT_COLUMN_COUNT, 3},
	[KIND_OPEN] = {"open", "open", KT_COLUMN_COUNT, 1},
	[KIND_REPLACED] = {"replaced", "replaced", KT_COLUMN_COUNT, 3},
	[KIND_MEDIAN] = {"lived_median", "lifetime", KT_COLUMN_TIME, 4},
	[KIND_P99] = {"lived_p99", "99 %", KT_COLUMN_TIME, 5},
};

static int compare_kinds(const void *a, const void *b)
{
	const struct kt_resource *x = *(const struct kt_resource *const *)a;
	const struct kt_resource *y = *(const struct kt_resource *const *)b;
	int order = (x->group > y->group) - (x->group < y->group);

	return order ? order : strcmp(x->kind, y->kind);
}

int kt_pair_table_kinds(struct kt_table *out, const struct kt_pairs *pairs)
{
	static const enum kind_column ends[KT_RESOURCE_ENDS] = {
		[KT_END_OPEN] = KIND_OPEN,         [KT_END_OWN] = KIND_OWN,
		[KT_END_ANCESTOR] = KIND_ANCESTOR, [KT_END_REPLACED] = KIND_REPLACED,
		[KT_END_LEFT] = KIND_LEFT,         [KT_END_EXEC] = KIND_EXEC,
	};
	const struct kt_resource **resources =
		malloc((pairs->n + 1) * sizeof(struct kt_resource *));
	struct kt_times lived = {.n = 0};
	int code = KT_OK;

	*out = (struct kt_table){.columns = kind_columns, .n_columns = KIND_COLUMNS};
	if (!resources) {
		return kt_no_memory("count pairs");
	}
	for (size_t i = 0; i < pairs->n; i++) {
		resources[i] = &pairs->resources[i];
	}
	qsort(resources, pairs->n, sizeof(*resources), compare_kinds);
	for (size_t i = 0, next; i < pairs->n; i = next) {
		struct kt_cell *row;

		KT_TRY_END(kt_table_add(out, &row));
		for (int c = KIND_UP; c <= KIND_REPLACED; c++) {
			kt_put(row, c, 0);
		}
		row[KIND_GROUP].text = kt_resource_group_name(resources[i]->group);
		row[KIND_KIND].text = resources[i]->kind;
		for (next = i;
		     next < pairs->n && compare_kinds(&resources[i], &resources[next]) == 0;
		     next++) {
			const struct kt_resource *resource = resources[next];

			row[KIND_UP].number++;
			row[ends[resource->end]].number++;
			if (was_taken_down(resource)) {
				KT_TRY_END(kt_times_add(&lived, 0,
							resource->down.time -
								resource->up.time));
			}
		}
		kt_put_quantiles(row, KIND_MEDIAN, &lived);
		kt_times_free(&lived);
	}
end:
	kt_times_free(&lived);
	free(resources);
	return code;
}
