/* SPDX-License-Identifier: MIT */
#include "annotate/stats/subtotals.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/names.h"
#include "annotate/stats/contexts.h"
#include "base/array.h"
#include "base/try.h"

/* --- reading --- */

/* A submission that is counted. */
struct counted {
	uint64_t number;
	size_t row; /* of its channel, in the tally */
};

/*
 * The reading of one trace. The selector must be the first member, because its callbacks
 * get this struct.
 */
struct reading {
	struct kt_selector selector;
	struct kt_tally tally;
	const char *path;                    /* Weak */
	struct kt_submission_totals *totals; /* Weak */
	struct kt_contexts contexts;
	struct kt_device_times times;
	struct counted *counted; /* Owned by this */
	size_t n_counted;
	size_t capacity;
	int code; /* first error in callbacks that are void */
};

static int take_event(void *visitor, const struct kt_event *event)
{
	struct reading *r = visitor;

	KT_TRY(r->code);
	if (event->shape == KT_ON_OBJECT) {
		const struct kt_object_fields fields = kt_object_fields(event);

		return kt_contexts_object(&r->contexts, event->process, &fields);
	}
	return kt_device_times_event(&r->times, event,
				     kt_reading_time(&r->totals->reading, event));
}

static void take_method(void *visitor, struct kt_submission *submission,
			const struct kt_submitted_entry *entry,
			const struct kt_decoded *decoded)
{
	struct reading *r = visitor;

	if (!r->code) {
		r->code = kt_device_times_method(&r->times, submission, &decoded->command);
	}
	kt_selector_visitor.method(visitor, submission, entry, decoded);
}

static void take_end(void *visitor, const struct kt_submission *submission)
{
	struct reading *r = visitor;

	if (!submission->shown || r->code) {
		return;
	}
	r->code = kt_array_reserve(&r->counted, &r->capacity, r->n_counted + 1);
	if (!r->code) {
		r->counted[r->n_counted++] =
			(struct counted){submission->number, r->tally.channels.last};
	}
}

static void ignore_trace(void *printer, const char *path)
{
	(void)printer;
	(void)path;
}

/* Counts like ktail decode --stats, but does not print. */
static int count(struct reading *r)
{
	struct kt_submission_visitor visitor = kt_selector_visitor;
	struct kt_printer counter = kt_tally_printer;

	counter.trace = ignore_trace;
	counter.end = NULL;
	visitor.method = take_method;
	visitor.end = take_end;
	visitor.event = take_event;
	r->selector.printer = &counter;
	r->selector.context = &r->tally;
	r->selector.path = r->path;
	KT_TRY(kt_submissions_read(r->path, &visitor, r, r->totals));
	KT_TRY(r->code);
	return r->tally.no_memory
		       ? kt_error(KT_E_MEMORY, "count %s: out of memory", r->path)
		       : kt_device_times_settle(&r->times);
}

/* --- sums --- */

static int add(struct kt_subtotals *p, size_t at, const struct kt_subtotal *subtotal)
{
	KT_TRY(kt_array_reserve(&p->subtotals, &p->capacity, p->n + 1));
	memmove(&p->subtotals[at + 1], &p->subtotals[at],
		(p->n - at) * sizeof(*p->subtotals));
	p->subtotals[at] = *subtotal;
	p->n++;
	return KT_OK;
}

static void sum_up(struct kt_subtotal *sum, const struct kt_subtotal *more)
{
	sum->row.doorbells += more->row.doorbells;
	sum->row.entries += more->row.entries;
	sum->row.words += more->row.words;
	sum->row.methods += more->row.methods;
	sum->row.unnamed += more->row.unnamed;
	for (int i = 0; i < KT_COMMAND_KINDS; i++) {
		sum->row.commands[i] += more->row.commands[i];
		sum->row.command_bytes[i] += more->row.command_bytes[i];
	}
	sum->channels += more->channels;
	kt_device_sum_up(&sum->device, &more->device);
}

/*
 * Returns the index of the sum to which `new` must be added, and sets *found; if there is
 * none, returns the index at which `new` must be inserted. Channels are never found,
 * because each has a sum of its own. `first` is the first sum of the trace.
 */
static size_t find_sum(const struct kt_subtotals *p, size_t first,
		       const struct kt_subtotal *new, bool *found)
{
	*found = p->by != KT_BY_CHANNEL;
	for (size_t i = p->by == KT_BY_CONTEXT ? first : 0; *found && i < p->n; i++) {
		const struct kt_subtotal *s = &p->subtotals[i];

		if (p->by == KT_BY_CONTEXT && s->row.instance == new->row.instance &&
		    s->row.client == new->row.client && s->context == new->context) {
			return i;
		}
		if (p->by == KT_BY_CLASS && s->row.class_number >= new->row.class_number) {
			*found = s->row.class_number == new->row.class_number;
			return i;
		}
	}
	*found = false;
	return p->n;
}

/* Adds the rows of a trace. `device` has the times of the device for each row. */
static int add_rows(struct kt_subtotals *p, const struct reading *r,
		    struct kt_tally_rows *rows, const struct kt_device_sum *device)
{
	const size_t first = p->n;

	for (size_t i = 0; i < rows->n; i++) {
		struct kt_tally_row *row = &rows->rows[i];
		struct kt_subtotal new = {.row = *row};
		bool found;
		size_t at;

		if (p->by != KT_BY_CLASS) {
			new.trace = r->path;
			new.context = kt_contexts_of(&r->contexts, row->instance,
						     row->client, row->channel);
			new.channels = 1;
			new.device = device[i];
		}
		at = find_sum(p, first, &new, &found);
		if (found) {
			sum_up(&p->subtotals[at], &new);
			continue;
		}
		KT_TRY(add(p, at, &new));
		/* The new sum now owns what these two pointers pointed to. */
		row->process = NULL;
		row->by_offset = NULL;
	}
	return KT_OK;
}

int kt_subtotals_read(struct kt_subtotals *subtotals, const char *path,
		      const struct kt_trace_filter *part,
		      struct kt_submission_totals *totals)
{
	const struct kt_selection selection = {.part = *part};
	struct reading r = {
		.selector.selection = &selection, .path = path, .totals = totals};
	struct kt_tally_rows *rows =
		subtotals->by == KT_BY_CLASS ? &r.tally.classes : &r.tally.channels;
	struct kt_device_sum *device = NULL;
	int code;

	KT_TRY_END(count(&r));
	device = calloc(r.tally.channels.n + 1, sizeof(*device));
	if (!device) {
		code = kt_no_memory("count submissions");
		goto end;
	}
	for (size_t i = 0; i < r.n_counted; i++) {
		const struct kt_device_time time =
			kt_device_times_at(&r.times, r.counted[i].number);

		kt_device_sum_add(&device[r.counted[i].row], &time);
		subtotals->timed = subtotals->timed || time.took_known;
	}
	code = add_rows(subtotals, &r, rows, device);
end:
	subtotals->shown += r.selector.shown;
	free(device);
	free(r.counted);
	kt_contexts_free(&r.contexts);
	kt_device_times_free(&r.times);
	kt_tally_clear(&r.tally);
	return code;
}

/* --- the table --- */

#define NUMBERS                                                                            \
	{"doorbells", "doorbells", KT_COLUMN_COUNT, 0},                                    \
		{"entries", "entries", KT_COLUMN_COUNT, 1},                                \
		{"bytes", "bytes", KT_COLUMN_COUNT, 0},                                    \
		{"methods", "methods", KT_COLUMN_COUNT, 2},                                \
		{"unnamed", "unnamed", KT_COLUMN_COUNT, 4},                                \
		{"inline_writes", "inline", KT_COLUMN_COUNT, 1},                           \
		{"inline_bytes", "inline bytes", KT_COLUMN_COUNT, 3},                      \
		{"copies", "copies", KT_COLUMN_COUNT, 1},                                  \
		{"copied_bytes", "copied", KT_COLUMN_COUNT, 1},                            \
		{"launches", "launches", KT_COLUMN_COUNT, 1},                              \
		{"empty_grids", "empty grids", KT_COLUMN_COUNT, 2},                        \
		{"releases", "releases", KT_COLUMN_COUNT, 3},                              \
		{"acquires", "acquires", KT_COLUMN_COUNT, 3},                              \
	{                                                                                  \
		"waits_for_idle", "idle waits", KT_COLUMN_COUNT, 3                         \
	}

#define NAMES                                                                              \
	{"process", "process", KT_COLUMN_TEXT, 0}, {"pid", "pid", KT_COLUMN_COUNT, 7},     \
		{"life", "life", KT_COLUMN_COUNT, 9},                                      \
		{"trace", "trace", KT_COLUMN_TEXT, 8},                                     \
	{                                                                                  \
		"client", "client", KT_COLUMN_HANDLE, 9                                    \
	}
#define N_NAMES 5

static const struct kt_column channel_columns[] = {
	NAMES,
	{"channel", "channel", KT_COLUMN_HANDLE, 0},
	{"class", "class", KT_COLUMN_TEXT, 5},
	NUMBERS,
	KT_DEVICE_COLUMNS,
};

static const struct kt_column context_columns[] = {
	NAMES,
	{"context", "context", KT_COLUMN_HANDLE, 0},
	{"channels", "channels", KT_COLUMN_COUNT, 1},
	NUMBERS,
	KT_DEVICE_COLUMNS,
};

static const struct kt_column class_columns[] = {
	{"class", "class", KT_COLUMN_TEXT, 0},
	NUMBERS,
};

static struct kt_cell known(uint64_t number)
{
	return (struct kt_cell){.number = number, .known = true};
}

/*
 * Sets the cells of the columns NUMBERS, in this order, and of the columns
 * KT_DEVICE_COLUMNS, if the table has them.
 */
static void set_numbers(struct kt_cell *cells, const struct kt_subtotals *subtotals,
			const struct kt_subtotal *subtotal)
{
	const struct kt_tally_row *row = &subtotal->row;
	const uint64_t numbers[] = {
		row->doorbells,
		row->entries,
		4 * row->words,
		row->methods,
		row->unnamed,
		row->commands[KT_COMMAND_INLINE],
		row->command_bytes[KT_COMMAND_INLINE],
		row->commands[KT_COMMAND_COPY],
		row->command_bytes[KT_COMMAND_COPY],
		row->commands[KT_COMMAND_LAUNCH],
		row->commands[KT_COMMAND_EMPTY_GRID],
		row->commands[KT_COMMAND_RELEASE],
		row->commands[KT_COMMAND_ACQUIRE],
		row->commands[KT_COMMAND_WAIT_FOR_IDLE],
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		cells[i] = known(numbers[i]);
	}
	if (subtotals->by != KT_BY_CLASS) {
		kt_device_cells(cells + sizeof(numbers) / sizeof(numbers[0]),
				&subtotal->device, subtotals->timed);
	}
}

static void set_names(struct kt_cell *cells, const struct kt_subtotal *subtotal)
{
	cells[0].text = subtotal->row.process;
	cells[1] = known(subtotal->row.pid);
	cells[2] = known(subtotal->row.instance);
	cells[3].text = subtotal->trace;
	cells[4] = known(subtotal->row.client);
}

struct kt_table kt_subtotals_head(const struct kt_subtotals *subtotals)
{
	return subtotals->by == KT_BY_CLASS     ? KT_TABLE_OF(class_columns)
	       : subtotals->by == KT_BY_CONTEXT ? KT_TABLE_OF(context_columns)
						: KT_TABLE_OF(channel_columns);
}

int kt_subtotals_table(struct kt_subtotals *subtotals, struct kt_table *table)
{
	const bool classes = subtotals->by == KT_BY_CLASS;
	/* Index of the first of NUMBERS. */
	const size_t numbers = classes ? 1 : N_NAMES + 2;
	struct kt_subtotal sum = {.trace = NULL};
	struct kt_cell *cells;

	*table = kt_subtotals_head(subtotals);
	for (size_t i = 0; i < subtotals->n; i++) {
		struct kt_subtotal *subtotal = &subtotals->subtotals[i];

		KT_TRY(kt_table_add(table, &cells));
		if (!classes) {
			set_names(cells, subtotal);
		}
		if (subtotals->by == KT_BY_CONTEXT) {
			cells[N_NAMES] = (struct kt_cell){.number = subtotal->context,
							  .known = subtotal->context != 0};
			cells[N_NAMES + 1] = known(subtotal->channels);
		} else {
			if (!classes) {
				cells[N_NAMES] = known(subtotal->row.channel);
			}
			cells[numbers - 1].text = kt_class_label(subtotal->row.class_number,
								 subtotal->class_name);
		}
		set_numbers(cells + numbers, subtotals, subtotal);
		sum_up(&sum, subtotal);
	}
	KT_TRY(kt_table_add(table, &cells));
	cells[0].text = "all";
	if (subtotals->by == KT_BY_CONTEXT) {
		cells[N_NAMES + 1] = known(sum.channels);
	}
	set_numbers(cells + numbers, subtotals, &sum);
	cells[numbers].known = cells[numbers + 1].known = !classes;
	table->has_total = true;
	return KT_OK;
}

void kt_subtotals_free(struct kt_subtotals *subtotals)
{
	for (size_t i = 0; i < subtotals->n; i++) {
		free(subtotals->subtotals[i].row.process);
		free(subtotals->subtotals[i].row.by_offset);
	}
	free(subtotals->subtotals);
	*subtotals = (struct kt_subtotals){0};
}
