/* SPDX-License-Identifier: MIT */
#include "annotate/report/write-report.h"

#include <string.h>

#include <ktail/status.h>

#include "annotate/events/given-up-rows.h"
#include "annotate/requests/request-tables.h"
#include "base/try.h"

/* Names of column kinds, in the order of enum kt_column_kind. */
static const char *const types[] = {"text", "count", "time", "handle", "share", "share"};

/* Returns whether any row has something in a column. */
static bool is_filled(const struct kt_table *table, size_t column)
{
	for (size_t row = 0; row < table->n_rows; row++) {
		const struct kt_cell *cell = &kt_table_row(table, row)[column];

		if ((cell->text && *cell->text) || (cell->known && cell->number)) {
			return true;
		}
	}
	return false;
}

/* Returns whether ktail would print the column in a text of unlimited width. */
static bool shows(const struct kt_table *table, size_t column)
{
	return table->columns[column].rank == 0 || is_filled(table, column);
}

static void put_columns(struct kt_report_writer *to, const struct kt_table *table)
{
	kt_json_array(&to->w, "columns");
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct kt_column *column = &table->columns[i];
		const char *head = column->head ? column->head : column->key;
		size_t n = strlen(head);
		char name[64];

		if (!shows(table, i)) {
			continue;
		}
		/* The head ends in "us", the unit of text output, but the report has ns. */
		if (column->kind == KT_COLUMN_TIME && n > 3 &&
		    strcmp(head + n - 3, " us") == 0) {
			n -= 3;
		}
		snprintf(name, sizeof(name), "%.*s", (int)n, head);
		kt_json_object(&to->w, NULL);
		KT_JSON(&to->w, KT_STR("key", column->key), KT_STR("name", name),
			KT_STR("type", types[column->kind]),
			KT_U64("rank", (uint64_t)column->rank));
		kt_json_end(&to->w);
	}
	kt_json_end(&to->w);
}

static void put_rows(struct kt_report_writer *to, const struct kt_table *table)
{
	kt_json_array(&to->w, "rows");
	for (size_t row = 0; row < table->n_rows; row++) {
		kt_json_array(&to->w, NULL);
		for (size_t i = 0; i < table->n_columns; i++) {
			const struct kt_cell *cell = &kt_table_row(table, row)[i];

			if (!shows(table, i)) {
				continue;
			}
			if (table->columns[i].kind == KT_COLUMN_TEXT) {
				kt_json_text(&to->w, cell->text ? cell->text : "");
			} else if (cell->known) {
				kt_json_number(&to->w, cell->number);
			} else {
				kt_json_null(&to->w);
			}
		}
		kt_json_end(&to->w);
	}
	kt_json_end(&to->w);
}

/* Writes a table if it has rows besides its total; frees the table. */
static int put_table(struct kt_report_writer *to, const char *title, int origin, int code,
		     struct kt_table *table)
{
	if (!code && table->n_rows > (table->has_total ? 1 : 0)) {
		kt_json_object(&to->w, NULL);
		KT_JSON(&to->w, KT_STR("title", title));
		if (origin >= 0) {
			KT_JSON(&to->w, KT_U64("side", (uint64_t)origin));
		}
		KT_JSON(&to->w, KT_BOOL("total", table->has_total));
		put_columns(to, table);
		put_rows(to, table);
		kt_json_end(&to->w);
	}
	kt_table_free(table);
	return code;
}

static const struct kt_column ioctl_columns[] = {
	{"request", "request", KT_COLUMN_TEXT, 0},
	{"subject", "command or class", KT_COLUMN_TEXT, 0},
	{"calls", "calls", KT_COLUMN_COUNT, 0},
	{"failed", "failed", KT_COLUMN_COUNT, 0},
	{"time", "total us", KT_COLUMN_TIME, 0},
};

/* Makes a row for each request; its texts are in the names of the report. */
static int make_ioctls(struct kt_table *table, const struct kt_call_tally *tally,
		       struct kt_texts *names)
{
	*table = KT_TABLE_OF(ioctl_columns);
	for (size_t i = 0; i < tally->n; i++) {
		const struct kt_call_row *row = &tally->rows[i];
		char buffer[24];
		const char *request =
			kt_texts_keep(names, kt_call_request_label(&row->what, buffer));
		const char *subject =
			kt_texts_keep(names, kt_call_subject_label(&row->what, buffer));

		if (!request || !subject) {
			return KT_E_MEMORY;
		}
		KT_TRY(KT_TABLE_ROW(table, KT_TEXT_CELL(request), KT_TEXT_CELL(subject),
				    KT_CELL(row->calls), KT_CELL(row->failed),
				    KT_CELL(row->duration)));
	}
	return KT_OK;
}

/* Writes what the recorder gave up, if it did: the other tables lack that. */
static int put_given_up(struct kt_report_writer *to)
{
	const struct kt_timeline *timeline = &to->report->timeline;
	struct kt_given_up_rows rows = {.n = 0};
	struct kt_table table;
	int code = KT_OK;

	for (size_t i = 0; i < timeline->n_traces && !code; i++) {
		code = kt_given_up_rows_add(&rows, timeline->traces[i].name,
					    kt_trace_report(timeline->traces[i].trace));
	}
	if (!code && rows.n > 0) {
		code = kt_given_up_rows_table(&rows, &table);
		code = put_table(to, "Given up by the recorder, complete until then", -1,
				 code, &table);
	}
	kt_given_up_rows_free(&rows);
	return code;
}

int kt_report_write_tables(struct kt_report_writer *to)
{
	/* Making a table sorts times in the rows, which changes nothing that is written. */
	struct kt_report *r = (struct kt_report *)(uintptr_t)to->report;
	struct kt_table table;
	int code;

	kt_json_array(&to->w, "tables");
	KT_TRY(put_given_up(to));
	for (int i = 0; i < (r->two_origins ? 2 : 1); i++) {
		struct kt_report_origin *origin = &r->origins[i];
		const int shown = r->two_origins ? i : -1;

		code = kt_call_figures_table(&origin->calls, &table);
		KT_TRY(put_table(to, "API calls", shown, code, &table));
		code = make_ioctls(&table, &origin->ioctls, to->names);
		KT_TRY(put_table(to, "Ioctls", shown, code, &table));
		code = kt_subtotals_table(&origin->channels, &table);
		KT_TRY(put_table(to, "Channels", shown, code, &table));
		code = kt_subtotals_table(&origin->contexts, &table);
		KT_TRY(put_table(to, "Contexts", shown, code, &table));
		code = kt_subtotals_table(&origin->classes, &table);
		KT_TRY(put_table(to, "Classes", shown, code, &table));
	}
	code = kt_request_kinds(&table, &r->timeline.requests);
	KT_TRY(put_table(to, "Requests by kind", -1, code, &table));
	code = kt_request_calls_table(&table, &r->timeline.requests);
	KT_TRY(put_table(to, "Requests by call", -1, code, &table));
	kt_json_end(&to->w);
	return KT_OK;
}
