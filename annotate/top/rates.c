/* SPDX-License-Identifier: MIT */
#include "annotate/top/rates.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/names.h"
#include "base/array.h"
#include "base/try.h"

#define SECOND UINT64_C(1000000000)

/* --- seconds --- */

static int end_second(struct kt_rates *r)
{
	const int code = r->second(r->context, r);

	r->over = r->over || code;
	r->n = r->last = 0;
	memset(r->all, 0, sizeof(r->all));
	return code;
}

int kt_rates_pass(struct kt_rates *r, uint64_t time)
{
	const uint64_t now = time / SECOND;

	if (r->over || now <= r->now) {
		return KT_OK;
	}
	KT_TRY(end_second(r));
	/* Several silent seconds are one step: damaged traces may have any time. */
	r->now = now;
	return KT_OK;
}

static int take_end(void *context)
{
	struct kt_rates *r = context;

	return r->over || !r->begun ? KT_OK : end_second(r);
}

/* --- rows --- */

static bool are_equal(const struct kt_rate_key *a, const struct kt_rate_key *b)
{
	return a->name == b->name && a->instance == b->instance && a->client == b->client &&
	       a->channel == b->channel && a->class_number == b->class_number;
}

/* Finds or adds a row; *out is valid until the next one is added. O(rows). */
static int find(struct kt_rates *r, const struct kt_rate_key *key, struct kt_rate_row **out)
{
	for (size_t i = 0; i < r->n; i++) {
		const size_t at = (r->last + i) % r->n;

		if (are_equal(&r->rows[at].key, key)) {
			r->last = at;
			*out = &r->rows[at];
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&r->rows, &r->capacity, r->n + 1));
	r->last = r->n;
	*out = &r->rows[r->n++];
	**out = (struct kt_rate_row){.key = *key};
	return KT_OK;
}

static int find_call(struct kt_rates *r, const struct kt_activity_call *call,
		     struct kt_rate_row **out)
{
	struct kt_rate_key key = {
		.name = kt_texts_keep(&r->texts, call ? call->name : "(outside of calls)")};

	return key.name ? find(r, &key, out) : KT_E_MEMORY;
}

static int find_channel(struct kt_rates *r, const struct kt_moment *moment,
			const struct kt_submission *submission, struct kt_rate_row **out)
{
	struct kt_rate_key key = {.name = kt_texts_keep(&r->texts, moment->process),
				  .instance = submission->instance,
				  .pid = submission->pid,
				  .client = submission->client,
				  .channel = submission->channel,
				  .class_number = submission->class_number};

	return key.name ? find(r, &key, out) : KT_E_MEMORY;
}

/* Adds to a row and to that of all. */
static void add(struct kt_rates *r, struct kt_rate_row *row, enum kt_rate rate, uint64_t n)
{
	row->n[rate] += n;
	r->all[rate] += n;
}

/* --- events and calls --- */

static int take_event(void *context, const struct kt_moment *moment,
		      const struct kt_event *event)
{
	struct kt_rates *r = context;
	struct kt_rate_row *row;

	(void)event;
	r->begun = true;
	KT_TRY(kt_rates_pass(r, moment->time));
	/* This callback gets all events. */
	if (r->part && !kt_trace_filter_takes(r->part, moment->process, moment->pid,
					      moment->tid, moment->time)) {
		return KT_OK;
	}
	r->all[KT_RATE_EVENTS]++;
	if (r->by == KT_RATES_CALL) {
		KT_TRY(find_call(r, moment->call, &row));
		row->n[KT_RATE_EVENTS]++;
	}
	return KT_OK;
}

/* Remembers, until the call ends, that it is counted in the row. */
static int note_call(struct kt_rates *r, struct kt_rate_row *row,
		     const struct kt_activity_call *call)
{
	if (!call || row->call == call->id) {
		return KT_OK;
	}
	row->call = call->id;
	for (size_t i = 0; i < r->n_calls; i++) {
		if (r->calls[i].id == call->id && are_equal(&r->calls[i].key, &row->key)) {
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&r->calls, &r->calls_capacity, r->n_calls + 1));
	r->calls[r->n_calls++] = (struct kt_rate_call){call->id, row->key};
	return KT_OK;
}

static int take_exit(void *context, const struct kt_moment *moment,
		     const struct kt_activity_call *call)
{
	struct kt_rates *r = context;
	struct kt_rate_row *row;
	size_t n = 0;

	(void)moment;
	if (call->returned) {
		r->all[KT_RATE_CALLS]++;
		r->all[KT_RATE_TIME] += call->duration;
	}
	if (call->returned && r->by == KT_RATES_CALL) {
		KT_TRY(find_call(r, call, &row));
		row->n[KT_RATE_CALLS]++;
		row->n[KT_RATE_TIME] += call->duration;
	}
	for (size_t i = 0; i < r->n_calls; i++) {
		if (r->calls[i].id != call->id) {
			r->calls[n++] = r->calls[i];
		} else if (call->returned) {
			KT_TRY(find(r, &r->calls[i].key, &row));
			row->n[KT_RATE_CALLS]++;
			row->n[KT_RATE_TIME] += call->duration;
		}
	}
	r->n_calls = n;
	return KT_OK;
}

/* Counts what has a row only if rows are calls. */
static int count(struct kt_rates *r, const struct kt_moment *moment, enum kt_rate rate)
{
	struct kt_rate_row *row;

	r->all[rate]++;
	if (r->by == KT_RATES_CALL) {
		KT_TRY(find_call(r, moment->call, &row));
		row->n[rate]++;
	}
	return KT_OK;
}

static int take_ioctl(void *context, const struct kt_moment *moment,
		      const struct kt_call *call)
{
	(void)call;
	return count(context, moment, KT_RATE_IOCTLS);
}

static int take_doorbell(void *context, const struct kt_moment *moment,
			 const struct kt_doorbell_fields *fields)
{
	(void)fields;
	return count(context, moment, KT_RATE_DOORBELLS);
}

/* --- submissions --- */

static int take_entry(void *context, const struct kt_moment *moment,
		      const struct kt_submission *submission,
		      const struct kt_submitted_entry *entry)
{
	struct kt_rates *r = context;
	struct kt_rate_row *row;

	(void)entry;
	if (r->by == KT_RATES_CHANNEL) {
		KT_TRY(find_channel(r, moment, submission, &row));
		row->n[KT_RATE_EVENTS]++;
	}
	return KT_OK;
}

static int take_method(void *context, const struct kt_moment *moment,
		       const struct kt_submission *submission,
		       const struct kt_submitted_entry *entry,
		       const struct kt_decoded *decoded)
{
	const struct kt_rate_key key = {.class_number = decoded->class_number};
	const enum kt_command_kind kind = decoded->command.kind;
	struct kt_rates *r = context;
	struct kt_rate_row *row;

	(void)entry;
	if (r->by != KT_RATES_CLASS) {
		return KT_OK;
	}
	KT_TRY(find(r, &key, &row));
	row->n[KT_RATE_EVENTS]++;
	row->n[KT_RATE_BYTES] += 4;
	row->n[KT_RATE_LAUNCHES] += kind == KT_COMMAND_LAUNCH;
	row->n[KT_RATE_COPIES] += kind == KT_COMMAND_COPY || kind == KT_COMMAND_INLINE;
	if (row->submission != submission->number) {
		row->submission = submission->number;
		row->n[KT_RATE_DOORBELLS] += submission->doorbell_written;
	}
	return note_call(r, row, moment->call);
}

static int take_submission(void *context, const struct kt_moment *moment,
			   const struct kt_submission *submission,
			   const struct kt_work *work)
{
	struct kt_rate_row none = {.key.name = NULL};
	struct kt_rates *r = context;
	struct kt_rate_row *row = &none;

	if (r->by == KT_RATES_CALL) {
		KT_TRY(find_call(r, moment->call, &row));
	} else if (r->by == KT_RATES_CHANNEL) {
		KT_TRY(find_channel(r, moment, submission, &row));
		/* A submission may be reported in two parts. */
		if (row->submission != submission->number) {
			row->submission = submission->number;
			row->n[KT_RATE_DOORBELLS] += submission->doorbell_written;
		}
		KT_TRY(note_call(r, row, moment->call));
	}
	add(r, row, KT_RATE_BYTES, 4 * work->words);
	add(r, row, KT_RATE_LAUNCHES, work->launches);
	add(r, row, KT_RATE_COPIES, work->inline_copies + work->direct_copies);
	return KT_OK;
}

const struct kt_activity_visitor kt_rates_visitor = {
	.of_part = true,
	.event = take_event,
	.call_exit = take_exit,
	.ioctl = take_ioctl,
	.doorbell = take_doorbell,
	.entry = take_entry,
	.method = take_method,
	.submission = take_submission,
	.end = take_end,
};

/* --- tables --- */

/* In the order of set_numbers(). */
#define NUMBERS                                                                            \
	{"events", "events/s", KT_COLUMN_COUNT, 0},                                        \
		{"calls", "calls/s", KT_COLUMN_COUNT, 1},                                  \
		{"mean", "mean us", KT_COLUMN_TIME, 2},                                    \
		{"doorbells", "doorbells/s", KT_COLUMN_COUNT, 0},                          \
		{"bytes", "bytes/s", KT_COLUMN_COUNT, 0},                                  \
		{"ioctls", "ioctls/s", KT_COLUMN_COUNT, 4},                                \
		{"launches", "launches/s", KT_COLUMN_COUNT, 5},                            \
	{                                                                                  \
		"copies", "copies/s", KT_COLUMN_COUNT, 6                                   \
	}

static const struct kt_column call_columns[] = {{"call", "call", KT_COLUMN_TEXT, 0},
						NUMBERS};
static const struct kt_column channel_columns[] = {
	{"process", "process", KT_COLUMN_TEXT, 0},
	{"pid", "pid", KT_COLUMN_COUNT, 3},
	{"channel", "channel", KT_COLUMN_HANDLE, 0},
	{"class", "class", KT_COLUMN_TEXT, 7},
	NUMBERS};
static const struct kt_column class_columns[] = {{"class", "class", KT_COLUMN_TEXT, 0},
						 NUMBERS};

struct kt_table kt_rates_head(enum kt_rates_by by)
{
	return by == KT_RATES_CALL      ? KT_TABLE_OF(call_columns)
	       : by == KT_RATES_CHANNEL ? KT_TABLE_OF(channel_columns)
					: KT_TABLE_OF(class_columns);
}

static void set_numbers(struct kt_cell *cells, const uint64_t n[KT_RATE_COUNT])
{
	const uint64_t calls = n[KT_RATE_CALLS];

	for (size_t i = 0; i < KT_RATE_COUNT; i++) {
		cells[i] = (struct kt_cell)KT_CELL(n[i]);
	}
	cells[KT_RATE_TIME].number = calls ? n[KT_RATE_TIME] / calls : 0;
	cells[KT_RATE_TIME].known = calls > 0;
}

int kt_rates_table(struct kt_rates *r, struct kt_table *table)
{
	const size_t names = kt_rates_head(r->by).n_columns - KT_RATE_COUNT;
	struct kt_cell *cells;

	*table = kt_rates_head(r->by);
	for (size_t i = 0; i < r->n; i++) {
		struct kt_rate_row *row = &r->rows[i];

		KT_TRY(kt_table_add(table, &cells));
		if (r->by != KT_RATES_CALL) {
			cells[names - 1].text =
				kt_class_label(row->key.class_number, row->class_label);
		}
		if (r->by != KT_RATES_CLASS) {
			cells[0].text = row->key.name;
		}
		if (r->by == KT_RATES_CHANNEL) {
			cells[1] = (struct kt_cell)KT_CELL(row->key.pid);
			cells[2] = (struct kt_cell)KT_CELL(row->key.channel);
		}
		set_numbers(cells + names, row->n);
		cells[names + KT_RATE_IOCTLS].known = r->by == KT_RATES_CALL;
	}
	KT_TRY(kt_table_add(table, &cells));
	cells[0].text = "all";
	set_numbers(cells + names, r->all);
	table->has_total = true;
	return KT_OK;
}

void kt_rates_free(struct kt_rates *r)
{
	kt_texts_free(&r->texts);
	free(r->rows);
	free(r->calls);
}
