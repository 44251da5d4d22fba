/* SPDX-License-Identifier: MIT */
#include "annotate/stats/subtotals.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/names.h"
#include "base/array.h"
#include "base/try.h"

/* --- reading --- */

static int add(struct kt_subtotals *p, size_t at, const char *trace,
	       struct kt_tally_row *row)
{
	KT_TRY(kt_array_reserve(&p->subtotals, &p->capacity, p->n + 1));
	memmove(&p->subtotals[at + 1], &p->subtotals[at],
		(p->n - at) * sizeof(*p->subtotals));
	p->subtotals[at] = (struct kt_subtotal){.trace = trace, .row = *row};
	p->n++;
	/* The new subtotal now owns what these two pointers pointed to. */
	row->process = NULL;
	row->by_offset = NULL;
	return KT_OK;
}

static void sum_up(struct kt_tally_row *sum, const struct kt_tally_row *more)
{
	sum->doorbells += more->doorbells;
	sum->entries += more->entries;
	sum->words += more->words;
	sum->methods += more->methods;
	sum->unnamed += more->unnamed;
	for (int i = 0; i < KT_COMMAND_KINDS; i++) {
		sum->commands[i] += more->commands[i];
		sum->command_bytes[i] += more->command_bytes[i];
	}
}

static void ignore_trace(void *printer, const char *path)
{
	(void)printer;
	(void)path;
}

int kt_subtotals_read(struct kt_subtotals *subtotals, const char *path,
		      const struct kt_trace_filter *part,
		      struct kt_submission_totals *totals)
{
	/* Count like ktail decode --stats, but do not print. */
	struct kt_printer counter = kt_tally_printer;
	const struct kt_selection selection = {.part = *part};
	struct kt_tally tally = {.out = NULL};
	struct kt_tally_rows *rows = subtotals->classes ? &tally.classes : &tally.channels;
	struct kt_selector selector = {.selection = &selection,
				       .printer = &counter,
				       .context = &tally,
				       .path = path};
	int code;

	counter.trace = ignore_trace;
	counter.end = NULL;
	code = kt_submissions_read(path, &kt_selector_visitor, &selector, totals);
	subtotals->shown += selector.shown;
	if (!code && tally.no_memory) {
		code = kt_error(KT_E_MEMORY, "count %s: out of memory", path);
	}
	for (size_t i = 0; !code && i < rows->n; i++) {
		struct kt_tally_row *row = &rows->rows[i];
		size_t at = 0;

		if (!subtotals->classes) {
			code = add(subtotals, subtotals->n, path, row);
			continue;
		}
		/*
		 * A class that was in an earlier trace has a subtotal already: add the row
		 * to it.
		 */
		while (at < subtotals->n &&
		       subtotals->subtotals[at].row.class_number < row->class_number) {
			at++;
		}
		if (at < subtotals->n &&
		    subtotals->subtotals[at].row.class_number == row->class_number) {
			sum_up(&subtotals->subtotals[at].row, row);
		} else {
			code = add(subtotals, at, NULL, row);
		}
	}
	kt_tally_clear(&tally);
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
		{"releases", "releases", KT_COLUMN_COUNT, 3},                              \
		{"acquires", "acquires", KT_COLUMN_COUNT, 3},                              \
	{                                                                                  \
		"waits_for_idle", "idle waits", KT_COLUMN_COUNT, 3                         \
	}

static const struct kt_column channel_columns[] = {
	{"process", "process", KT_COLUMN_TEXT, 0},
	{"pid", "pid", KT_COLUMN_COUNT, 7},
	{"life", "life", KT_COLUMN_COUNT, 9},
	{"trace", "trace", KT_COLUMN_TEXT, 8},
	{"client", "client", KT_COLUMN_HANDLE, 9},
	{"channel", "channel", KT_COLUMN_HANDLE, 0},
	{"class", "class", KT_COLUMN_TEXT, 5},
	NUMBERS,
};

static const struct kt_column class_columns[] = {
	{"class", "class", KT_COLUMN_TEXT, 0},
	NUMBERS,
};

static struct kt_cell known(uint64_t number)
{
	return (struct kt_cell){.number = number, .known = true};
}

/* Sets the cells of the columns NUMBERS, in the order in which NUMBERS lists them. */
static void set_numbers(struct kt_cell *cells, const struct kt_tally_row *row)
{
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
		row->commands[KT_COMMAND_RELEASE],
		row->commands[KT_COMMAND_ACQUIRE],
		row->commands[KT_COMMAND_WAIT_FOR_IDLE],
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		cells[i] = known(numbers[i]);
	}
}

int kt_subtotals_table(struct kt_subtotals *subtotals, struct kt_table *table)
{
	struct kt_tally_row sum = {0};
	struct kt_cell *cells;

	*table = (struct kt_table){.columns = channel_columns,
				   .n_columns = sizeof(channel_columns) /
						sizeof(channel_columns[0])};
	if (subtotals->classes) {
		table->columns = class_columns;
		table->n_columns = sizeof(class_columns) / sizeof(class_columns[0]);
	}
	for (size_t i = 0; i < subtotals->n; i++) {
		struct kt_subtotal *subtotal = &subtotals->subtotals[i];

		KT_TRY(kt_table_add(table, &cells));
		if (!subtotals->classes) {
			cells[0].text = subtotal->row.process;
			cells[1] = known(subtotal->row.pid);
			cells[2] = known(subtotal->row.instance);
			cells[3].text = subtotal->trace;
			cells[4] = known(subtotal->row.client);
			cells[5] = known(subtotal->row.channel);
			cells += 6;
		}
		cells[0].text =
			kt_class_label(subtotal->row.class_number, subtotal->class_name);
		set_numbers(cells + 1, &subtotal->row);
		sum_up(&sum, &subtotal->row);
	}
	KT_TRY(kt_table_add(table, &cells));
	cells[0].text = "all";
	cells += subtotals->classes ? 1 : 7;
	set_numbers(cells, &sum);
	cells[0].known = cells[1].known = !subtotals->classes;
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
