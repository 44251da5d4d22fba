/* SPDX-License-Identifier: MIT */
#include "annotate/listing/tally.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/listing/print.h"
#include "base/array.h"

static void clear_rows(struct kt_tally_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->rows[i].process);
		free(rows->rows[i].by_offset);
	}
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

void kt_tally_clear(struct kt_tally *t)
{
	clear_rows(&t->channels);
	clear_rows(&t->classes);
	memset(t->commands, 0, sizeof(t->commands));
	memset(t->command_bytes, 0, sizeof(t->command_bytes));
	t->entries = 0;
}

static struct kt_tally_row *add_row(struct kt_tally *t, struct kt_tally_rows *rows)
{
	if (kt_array_reserve(&rows->rows, &rows->capacity, rows->n + 1)) {
		t->no_memory = true;
		return NULL;
	}
	rows->last = rows->n;
	memset(&rows->rows[rows->n], 0, sizeof(*rows->rows));
	return &rows->rows[rows->n++];
}

/* Finds or adds the row of a submission's channel. NULL if memory is exhausted. */
static struct kt_tally_row *find_channel(struct kt_tally *t, const struct kt_submission *s)
{
	struct kt_tally_rows *rows = &t->channels;
	struct kt_tally_row *row;

	for (size_t i = 0; i < rows->n; i++) {
		row = &rows->rows[(rows->last + i) % rows->n];
		if (row->instance == s->instance && row->client == s->client &&
		    row->channel == s->channel) {
			rows->last = (rows->last + i) % rows->n;
			return row;
		}
	}
	row = add_row(t, rows);
	if (row) {
		row->instance = s->instance;
		row->pid = s->pid;
		row->process = strdup(s->process);
		row->client = s->client;
		row->channel = s->channel;
		row->class_number = s->class_number;
		t->no_memory = t->no_memory || !row->process;
	}
	return row;
}

static void count_submission(struct kt_tally *t, struct kt_tally_row *row,
			     const struct kt_submission *s)
{
	row->doorbells += row->last_submission != s->number;
	row->entries += row->last_entry != t->entries;
	row->last_submission = s->number;
	row->last_entry = t->entries;
}

static void take_entry(void *printer, const struct kt_submission *s,
		       const struct kt_submitted_entry *e)
{
	struct kt_tally *t = printer;
	struct kt_tally_row *row = find_channel(t, s);

	t->entries++;
	if (row) {
		count_submission(t, row, s);
		row->words += e->captured;
	}
}

static void count_command(struct kt_tally_row *row, const struct kt_command *command)
{
	row->commands[command->kind]++;
	row->command_bytes[command->kind] += command->bytes;
}

static void take_method(void *printer, const struct kt_submission *s,
			const struct kt_submitted_entry *e, const struct kt_decoded *d,
			const struct kt_kernel_note *note)
{
	struct kt_tally *t = printer;
	struct kt_tally_rows *classes = &t->classes;
	struct kt_tally_row *row = find_channel(t, s);
	bool unnamed = d->class_ && !d->named; /* as in kt_decode_counts */

	(void)note;
	(void)e;
	if (row) {
		row->methods++;
		row->unnamed += unnamed;
		count_command(row, &d->command);
	}
	t->commands[d->command.kind]++;
	t->command_bytes[d->command.kind] += d->command.bytes;
	row = NULL;
	for (size_t i = 0; i < classes->n && !row; i++) {
		size_t at = (classes->last + i) % classes->n;

		if (classes->rows[at].class_number == d->class_number) {
			classes->last = at;
			row = &classes->rows[at];
		}
	}
	if (!row) {
		row = add_row(t, classes);
	}
	if (!row) {
		return;
	}
	row->class_number = d->class_number;
	count_submission(t, row, s);
	row->words++;
	row->methods++;
	row->unnamed += unnamed;
	count_command(row, &d->command);
	if (!d->named && !row->by_offset) {
		row->by_offset = calloc(KT_METHOD_OFFSETS, sizeof(*row->by_offset));
		t->no_memory = t->no_memory || !row->by_offset;
	}
	if (!d->named && row->by_offset) {
		row->by_offset[d->method.offset / 4]++;
	}
}

static int compare_classes(const void *a, const void *b)
{
	const struct kt_tally_row *x = a;
	const struct kt_tally_row *y = b;

	return (x->class_number > y->class_number) - (x->class_number < y->class_number);
}

static void take_trace(void *printer, const char *path)
{
	struct kt_tally *t = printer;

	kt_tally_clear(t);
	if (t->json) {
		kt_print_trace_json(t->out, path);
	} else {
		fprintf(t->out, "trace %s\n\n", path);
	}
}

static void take_end(void *printer, const struct kt_submission_totals *totals)
{
	struct kt_tally *t = printer;

	if (t->classes.n > 0) {
		qsort(t->classes.rows, t->classes.n, sizeof(*t->classes.rows),
		      compare_classes);
	}
	kt_print_tally(t);
	if (t->json) {
		kt_print_totals_json(t->out, totals);
	} else {
		kt_print_totals(t->out, totals);
	}
}

const struct kt_printer kt_tally_printer = {
	.trace = take_trace,
	.entry = take_entry,
	.method = take_method,
	.end = take_end,
};
