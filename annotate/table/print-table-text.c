/* SPDX-License-Identifier: MIT */
/* A table for people: as wide as a terminal, or as it needs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/table/table.h"

#define GAP       2  /* between columns */
#define CELL      32 /* bytes of a number as text */
#define NAME_LONG 30 /* of a text, where all must fit */

struct layout {
	const struct kt_table *table; /* Weak */
	size_t *widths;               /* Owned by this: of each column; 0: not shown */
	bool narrow;
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* As text, in `buffer` or the cell's own. */
static const char *cell_text(const struct kt_column *column, const struct kt_cell *cell,
			     char buffer[CELL])
{
	buffer[0] = '\0';
	if (column->kind == KT_COLUMN_TEXT) {
		return cell->text ? cell->text : "";
	}
	if (!cell->known) {
		return "-";
	}
	if (column->kind == KT_COLUMN_TIME) {
		snprintf(buffer, CELL, "%" PRIu64 ".%03" PRIu64, cell->number / 1000,
			 cell->number % 1000);
	} else {
		snprintf(buffer, CELL,
			 column->kind == KT_COLUMN_HANDLE ? "0x%" PRIx64 : "%" PRIu64,
			 cell->number);
	}
	return buffer;
}

static size_t limit(const struct layout *l, const struct kt_column *column)
{
	return l->narrow && column->kind == KT_COLUMN_TEXT ? NAME_LONG : SIZE_MAX;
}

static bool is_nothing(const struct kt_column *column, const struct kt_cell *cell)
{
	return column->kind == KT_COLUMN_TEXT ? !cell->text || !cell->text[0]
					      : !cell->known || cell->number == 0;
}

/* 0 if nothing is in it. */
static size_t measure(const struct layout *l, size_t column)
{
	const struct kt_column *c = &l->table->columns[column];
	size_t width = strlen(c->head);
	bool nothing = c->rank > 0;
	char buffer[CELL];

	for (size_t i = 0; i < l->table->n_rows; i++) {
		const struct kt_cell *cell = &kt_table_row(l->table, i)[column];
		size_t here = least(strlen(cell_text(c, cell, buffer)), limit(l, c));

		nothing = nothing && is_nothing(c, cell);
		width = here > width ? here : width;
	}
	return nothing ? 0 : width;
}

/* Shows a column if there is room behind the `used` ones; how many are used then. */
static size_t show(struct layout *l, size_t column, size_t used, size_t width)
{
	size_t needs = measure(l, column);
	size_t then = used + needs + (used ? GAP : 0);
	const struct kt_column *c = &l->table->columns[column];
	bool fits =
		!l->narrow || c->rank == 0 || (c->rank < KT_COLUMN_WIDE && then <= width);

	if (needs == 0 || !fits) {
		return used;
	}
	l->widths[column] = needs;
	return then;
}

/* Those of the lowest ranks first, as long as there is room. */
static void lay_out(struct layout *l, size_t width)
{
	size_t used = 0;

	for (int rank = 0; rank <= KT_COLUMN_WIDE; rank++) {
		for (size_t i = 0; i < l->table->n_columns; i++) {
			if (l->table->columns[i].rank == rank) {
				used = show(l, i, used, width);
			}
		}
	}
}

/* Numbers to the right, texts to the left, not filled up behind the last. */
static void print_cell(FILE *out, const struct layout *l, size_t column, const char *text,
		       bool last)
{
	const struct kt_column *c = &l->table->columns[column];
	int width = (int)l->widths[column];

	if (c->kind != KT_COLUMN_TEXT) {
		fprintf(out, "%*s", width, text);
	} else if (strlen(text) > limit(l, c)) {
		fprintf(out, "%.*s...", NAME_LONG - 3, text);
	} else {
		fprintf(out, "%-*s", last ? 0 : width, text);
	}
}

/* row: n_rows stands for the heads. */
static void print_row(FILE *out, const struct layout *l, size_t row)
{
	const struct kt_table *t = l->table;
	bool first = true;
	size_t end = t->n_columns;
	char buffer[CELL];

	while (end > 0 && !l->widths[end - 1]) {
		end--;
	}
	for (size_t i = 0; i < end; i++) {
		if (!l->widths[i]) {
			continue;
		}
		fprintf(out, "%*s", first ? 0 : GAP, "");
		print_cell(out, l, i,
			   row == t->n_rows ? t->columns[i].head
					    : cell_text(&t->columns[i],
							&kt_table_row(t, row)[i], buffer),
			   i + 1 == end);
		first = false;
	}
	putc('\n', out);
}

/* Columns that hold something and are not shown. */
static void print_left_out(FILE *out, const struct layout *l)
{
	const char *before = NULL;
	size_t at = 0;

	for (size_t i = 0; i < l->table->n_columns; i++) {
		const struct kt_column *c = &l->table->columns[i];

		if (l->widths[i] || c->rank == KT_COLUMN_WIDE || !measure(l, i)) {
			continue;
		}
		if (!before) {
			at = (size_t)fprintf(out, "not shown for want of room (%s): ",
					     l->table->all_in ? l->table->all_in
							      : "--wide");
			before = "";
		}
		at += strlen(before) + strlen(c->head);
		fprintf(out, "%s%s", before, c->head);
		before = at > 60 ? ",\n  " : ", ";
		at = at > 60 ? 0 : at;
	}
	fputs(before ? "\n" : "", out);
}

int kt_table_print_text(FILE *out, const struct kt_table *table, size_t width)
{
	struct layout l = {
		.table = table,
		.widths = calloc(table->n_columns + 1, sizeof(*l.widths)),
		.narrow = width > 0,
	};

	if (!l.widths) {
		return kt_no_memory("print table");
	}
	lay_out(&l, width);
	print_row(out, &l, table->n_rows);
	for (size_t i = 0; i < table->n_rows; i++) {
		print_row(out, &l, i);
	}
	print_left_out(out, &l);
	free(l.widths);
	return KT_OK;
}
