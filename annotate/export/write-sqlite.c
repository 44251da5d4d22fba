/* SPDX-License-Identifier: MIT */
/*
 * An SQLite database: tables of traces, processes, threads, channels, events, submissions
 * and commands, and views on them. docs/guide/sqlite.md has queries.
 */
#include "annotate/export/export.h"

#include <inttypes.h>
#include <stdlib.h>

#include <sqlite3.h>

#include <ktail/status.h>

#include "annotate/events/names.h"
#include "annotate/export/dwords.h"
#include "base/try.h"

/* schema.sql, line by line. */
static const char *const schema[] = {
#include "annotate/export-schema.inc"
};

struct database {
	const struct kt_export *export;
	sqlite3 *db;          /* Owned by this */
	sqlite3_stmt *insert; /* Owned by this: of the current table */
	int column;           /* the next column to be set, from 1 */
	int refused;          /* SQLite's error code if it refused a text; else SQLITE_OK */
};

static int failed(const struct database *d)
{
	return kt_error(KT_E_IO, "write database: %s",
			d->refused ? sqlite3_errstr(d->refused) : sqlite3_errmsg(d->db));
}

static int execute(struct database *d, const char *sql)
{
	return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK ? KT_OK : failed(d);
}

static int make_tables(struct database *d)
{
	char *sql = NULL;
	size_t size;
	FILE *stream = open_memstream(&sql, &size);
	int code;

	if (!stream) {
		return kt_no_memory("write database");
	}
	for (size_t i = 0; i < sizeof(schema) / sizeof(schema[0]); i++) {
		fputs(schema[i], stream);
	}
	code = fclose(stream) == 0 ? execute(d, sql) : kt_no_memory("write database");
	free(sql);
	return code;
}

/* --- rows: begin_table(), then for each row the columns in order and end_row() --- */

static int begin_table(struct database *d, const char *insert)
{
	sqlite3_finalize(d->insert);
	d->insert = NULL;
	d->column = 1;
	return sqlite3_prepare_v2(d->db, insert, -1, &d->insert, NULL) == SQLITE_OK
		       ? KT_OK
		       : failed(d);
}

static void put_number(struct database *d, int64_t number)
{
	sqlite3_bind_int64(d->insert, d->column++, number);
}

static void put_null(struct database *d)
{
	sqlite3_bind_null(d->insert, d->column++);
}

static void put_index(struct database *d, uint32_t index)
{
	if (index == KT_TIMELINE_NONE) {
		put_null(d);
	} else {
		put_number(d, (int64_t)index + 1);
	}
}

/* For columns that are NOT NULL: an empty text is stored as it is, not as NULL. */
static void put_any_text(struct database *d, const char *text)
{
	const int code =
		sqlite3_bind_text(d->insert, d->column++, text, -1, SQLITE_TRANSIENT);

	d->refused = d->refused ? d->refused : code;
}

static void put_text(struct database *d, const char *text)
{
	if (text && *text) {
		put_any_text(d, text);
	} else {
		put_null(d);
	}
}

static void put_name(struct database *d, uint32_t name)
{
	put_text(d, kt_export_name(d->export, name));
}

static int end_row(struct database *d)
{
	d->column = 1;
	return !d->refused && sqlite3_step(d->insert) == SQLITE_DONE &&
			       sqlite3_reset(d->insert) == SQLITE_OK
		       ? KT_OK
		       : failed(d);
}

/* --- tables; the ids of rows are indexes, from 1 --- */

static int put_traces(struct database *d)
{
	const struct kt_timeline *t = &d->export->timeline;

	KT_TRY(begin_table(d, "INSERT INTO traces VALUES (?, ?, ?)"));
	for (size_t i = 0; i < t->n_traces; i++) {
		put_number(d, (int64_t)i + 1);
		put_any_text(d, t->traces[i].name);
		put_number(d, kt_trace_report(t->traces[i].trace)->first_time);
		KT_TRY(end_row(d));
	}
	return KT_OK;
}

static int put_tracks(struct database *d)
{
	const struct kt_tracks *t = &d->export->tracks;
	const struct kt_timeline_events *e = &d->export->timeline.events;

	KT_TRY(begin_table(d, "INSERT INTO processes VALUES (?, ?, ?, ?)"));
	for (size_t i = 0; i < t->n_processes; i++) {
		put_number(d, (int64_t)i + 1);
		put_number(d, (int64_t)t->processes[i].trace + 1);
		put_number(d, t->processes[i].pid);
		put_text(d, t->processes[i].program);
		KT_TRY(end_row(d));
	}
	KT_TRY(begin_table(d, "INSERT INTO threads VALUES (?, ?, ?)"));
	for (size_t i = 0; i < t->n_threads; i++) {
		put_number(d, (int64_t)i + 1);
		put_index(d, t->threads[i].process);
		put_number(d, e->threads[i].tid);
		KT_TRY(end_row(d));
	}
	KT_TRY(begin_table(d, "INSERT INTO channels VALUES (?, ?, ?, ?, ?)"));
	for (size_t i = 0; i < t->n_channels; i++) {
		put_number(d, (int64_t)i + 1);
		put_index(d, t->channels[i].process);
		put_number(d, e->channels[i].client);
		put_number(d, e->channels[i].channel);
		put_name(d, e->channels[i].class_name);
		KT_TRY(end_row(d));
	}
	return KT_OK;
}

static int put_events(struct database *d)
{
	const struct kt_timeline_events *e = &d->export->timeline.events;

	KT_TRY(begin_table(d, "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"));
	for (size_t i = 0; i < e->n; i++) {
		const struct kt_timeline_event *event = &e->events[i];

		put_number(d, (int64_t)i + 1);
		put_text(d, kt_export_kind_name(event->kind));
		put_any_text(d, kt_export_name(d->export, event->name));
		put_name(d, event->detail);
		put_index(d, event->thread);
		put_number(d, event->time);
		put_number(d, (int64_t)event->duration);
		put_index(d, event->call);
		put_index(d, event->channel);
		KT_TRY(end_row(d));
	}
	return KT_OK;
}

static int put_submissions(struct database *d)
{
	const struct kt_export *x = d->export;

	KT_TRY(begin_table(d,
			   "INSERT INTO submissions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
			   "?, ?, ?)"));
	for (size_t i = 0; i < x->n_requests; i++) {
		const struct kt_timeline_request *r = &x->requests[i];
		char *dwords = NULL;

		KT_TRY(kt_export_request_dwords(&dwords, x, r));
		put_number(d, (int64_t)i + 1);
		put_index(d, r->channel);
		put_index(d, r->doorbell);
		put_index(d, r->call);
		put_number(d, r->submitted);
		if (r->completed < 0) {
			put_null(d);
		} else {
			put_number(d, r->completed);
		}
		put_name(d, r->sign);
		put_any_text(d, kt_export_name(x, r->name));
		put_number(d, (int64_t)r->bytes);
		put_number(d, (int64_t)r->copied);
		put_number(d, (int64_t)r->launches);
		put_name(d, r->kernel);
		put_text(d, dwords);
		free(dwords);
		KT_TRY(end_row(d));
	}
	return KT_OK;
}

static int put_commands(struct database *d)
{
	const struct kt_export *x = d->export;
	char buffer[16];

	KT_TRY(begin_table(d,
			   "INSERT INTO commands (submission, kind, class, bytes) VALUES "
			   "(?, ?, ?, ?)"));
	for (size_t i = 0; i < x->commands.n; i++) {
		const struct kt_command_row *row = &x->commands.rows[i];

		if (x->shown[row->request] == 0) {
			continue;
		}
		put_number(d, x->shown[row->request]);
		put_text(d, kt_command_name(row->kind));
		put_text(d, kt_class_label(row->class_number, buffer));
		put_number(d, (int64_t)row->bytes);
		KT_TRY(end_row(d));
	}
	return KT_OK;
}

static int put_machine(struct database *d)
{
	const struct kt_visits *v = &d->export->visits;

	KT_TRY(begin_table(d, "INSERT INTO states VALUES (?, ?, ?, ?)"));
	for (size_t i = 0; v->fsm && i < v->fsm->n_states; i++) {
		put_number(d, (int64_t)i);
		put_number(d, (int64_t)v->fsm->states[i].visits);
		put_text(d, v->fsm->states[i].label);
		put_text(d, v->fsm->states[i].phase);
		KT_TRY(end_row(d));
	}
	KT_TRY(begin_table(d, "INSERT INTO words VALUES (?, ?, ?, ?)"));
	for (size_t i = 0; i < v->n_words; i++) {
		put_number(d, (int64_t)i + 1);
		put_any_text(d, v->words[i].name);
		put_number(d, (int64_t)v->words[i].letters);
		put_number(d, (int64_t)v->words[i].fitting);
		KT_TRY(end_row(d));
	}
	return KT_OK;
}

static int put_visits(struct database *d)
{
	const struct kt_visits *v = &d->export->visits;

	KT_TRY(begin_table(d, "INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?)"));
	for (size_t i = 0; i < v->n; i++) {
		const struct kt_visit *visit = &v->visits[i];

		put_number(d, (int64_t)visit->word + 1);
		put_number(d, (int64_t)visit->position);
		put_text(d, visit->letter == KT_UNPLACED ? NULL
							 : v->fsm->letters[visit->letter]);
		put_index(d, visit->event);
		if (visit->transition == KT_UNPLACED) {
			put_null(d);
			put_null(d);
		} else {
			put_number(d, v->fsm->transitions[visit->transition].from);
			put_number(d, v->fsm->transitions[visit->transition].to);
		}
		KT_TRY(end_row(d));
	}
	return KT_OK;
}

static int make(struct database *d)
{
	/* SQLite requires a file's name, but an output may be standard output. */
	if (sqlite3_open(":memory:", &d->db) != SQLITE_OK) {
		return failed(d);
	}
	KT_TRY(make_tables(d));
	KT_TRY(execute(d, "BEGIN"));
	KT_TRY(put_traces(d));
	KT_TRY(put_tracks(d));
	KT_TRY(put_events(d));
	KT_TRY(put_submissions(d));
	KT_TRY(put_commands(d));
	KT_TRY(put_machine(d));
	KT_TRY(put_visits(d));
	return execute(d, "COMMIT; PRAGMA optimize");
}

int kt_export_write_sqlite(FILE *out, const void *export)
{
	struct database d = {.export = export};
	int code = make(&d);
	sqlite3_int64 size = 0;
	unsigned char *bytes;

	sqlite3_finalize(d.insert);
	bytes = code ? NULL : sqlite3_serialize(d.db, "main", &size, 0);
	if (!code && !bytes) {
		code = kt_no_memory("write database");
	}
	if (!code && fwrite(bytes, 1, (size_t)size, out) != (size_t)size) {
		code = kt_error_errno(KT_E_IO, "write database");
	}
	sqlite3_free(bytes);
	sqlite3_close(d.db);
	return code;
}
