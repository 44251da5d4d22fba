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

/* 0 if nothing is in it. */
static size_t measure(const struct layout *l, size_t column)
{
	const struct kt_column *c = &l->table->columns[column];
	const size_t most = limit(l, c);
	size_t width = strlen(c->head);
	bool nothing = c->rank > 0;
	char buffer[CELL];

	for (size_t i = 0; i < l->table->n_rows; i++) {
		const struct kt_cell *cell = &kt_table_row(l->table, i)[column];
		size_t here = strlen(cell_text(c, cell, buffer));

		here = here > most ? most : here;
		width = here > width ? here : width;
		nothing = nothing &&
			  (c->kind == KT_COLUMN_TEXT ? !cell->text || !cell->text[0]
						     : !cell->known || cell->number == 0);
	}
	return nothing ? 0 : width;
}

/* Numbers to the right, texts to the left, not filled up behind the last. row: n_rows
 * stands for the heads. */
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
		const struct kt_column *c = &t->columns[i];
		const char *text = row == t->n_rows
					   ? c->head
					   : cell_text(c, &kt_table_row(t, row)[i], buffer);
		const int width = (int)l->widths[i];

		if (!width) {
			continue;
		}
		fprintf(out, "%*s", first ? 0 : GAP, "");
		if (c->kind != KT_COLUMN_TEXT) {
			fprintf(out, "%*s", width, text);
		} else if (strlen(text) > limit(l, c)) {
			fprintf(out, "%.*s...", NAME_LONG - 3, text);
		} else {
			fprintf(out, "%-*s", i + 1 == end ? 0 : width, text);
		}
		first = false;
	}
	putc('\n', out);
}

int kt_table_print_text(FILE *out, const struct kt_table *table, size_t width)
{
	struct layout l = {
		.table = table,
		.widths = calloc(table->n_columns + 1, sizeof(*l.widths)),
		.narrow = width > 0,
	};
	const char *before = NULL;
	size_t used = 0;
	size_t at = 0;

	if (!l.widths) {
		return kt_no_memory("print table");
	}
	/* Columns of the lowest ranks are shown first, as long as there is room. */
	for (int rank = 0; rank <= KT_COLUMN_WIDE; rank++) {
		for (size_t i = 0; i < table->n_columns; i++) {
			size_t needs = table->columns[i].rank == rank ? measure(&l, i) : 0;
			size_t then = used + needs + (used ? GAP : 0);

			if (needs > 0 && (!l.narrow || rank == 0 ||
					  (rank < KT_COLUMN_WIDE && then <= width))) {
				l.widths[i] = needs;
				used = then;
			}
		}
	}
	print_row(out, &l, table->n_rows);
	for (size_t i = 0; i < table->n_rows; i++) {
		print_row(out, &l, i);
	}
	/* Columns that hold something and are not shown. */
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct kt_column *c = &table->columns[i];

		if (l.widths[i] || c->rank == KT_COLUMN_WIDE || !measure(&l, i)) {
			continue;
		}
		if (!before) {
			at = (size_t)fprintf(out, "not shown for want of room (%s): ",
					     table->all_in ? table->all_in : "--wide");
			before = "";
		}
		at += strlen(before) + strlen(c->head);
		fprintf(out, "%s%s", before, c->head);
		before = at > 60 ? ",\n  " : ", ";
		at = at > 60 ? 0 : at;
	}
	fputs(before ? "\n" : "", out);
	free(l.widths);
	return KT_OK;
}
