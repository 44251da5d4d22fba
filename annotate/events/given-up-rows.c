/* SPDX-License-Identifier: MIT */
#include "annotate/events/given-up-rows.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

enum column { WHAT, MAPPING, SPACE, PROCESS, PID, TRACE, UNTIL };

static const struct kt_column columns[] = {
	[WHAT] = {"what", "what", KT_COLUMN_TEXT, 0},
	[MAPPING] = {"mapping", "mapping", KT_COLUMN_COUNT, 0},
	[SPACE] = {"space", "space", KT_COLUMN_TEXT, 0},
	[PROCESS] = {"process", "process", KT_COLUMN_TEXT, 0},
	[PID] = {"pid", "pid", KT_COLUMN_COUNT, 0},
	[TRACE] = {"trace", "trace", KT_COLUMN_TEXT, KT_COLUMN_WIDE},
	[UNTIL] = {"until", "until us", KT_COLUMN_TIME, 0},
};

int kt_given_up_rows_add(struct kt_given_up_rows *rows, const char *path,
			 const struct kt_trace_report *report)
{
	const struct kt_given_up_list *list = &report->given_up;

	KT_TRY(kt_array_reserve(&rows->rows, &rows->capacity, rows->n + list->n + 1));
	for (size_t i = 0; i < list->n; i++) {
		char *trace = strdup(path);

		if (!trace) {
			return kt_no_memory("list what was given up");
		}
		rows->rows[rows->n++] = (struct kt_given_up_row){
			.trace = trace,
			.until = kt_time_between(report->first_time, list->items[i].time),
			.what = list->items[i]};
	}
	rows->more += list->all - list->n;
	return KT_OK;
}

int kt_given_up_rows_table(const struct kt_given_up_rows *rows, struct kt_table *table)
{
	*table = KT_TABLE_OF(columns);
	for (size_t i = 0; i < rows->n; i++) {
		const struct kt_given_up_row *row = &rows->rows[i];
		struct kt_cell *cells;

		KT_TRY(kt_table_add(table, &cells));
		cells[WHAT].text = row->what.commands ? "commands" : "accesses";
		cells[MAPPING] = (struct kt_cell){.number = row->what.mapping,
						  .known = row->what.mapping > 0};
		cells[SPACE].text = row->what.space[0] ? row->what.space : NULL;
		cells[PROCESS].text = row->what.process;
		cells[PID] = (struct kt_cell)KT_CELL(row->what.pid);
		cells[TRACE].text = row->trace;
		cells[UNTIL] = (struct kt_cell)KT_CELL(row->until);
	}
	return KT_OK;
}

void kt_given_up_rows_free(struct kt_given_up_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->rows[i].trace);
	}
	free(rows->rows);
	*rows = (struct kt_given_up_rows){.n = 0};
}
