/* SPDX-License-Identifier: MIT */
/* A table as comma- or tab-separated values. */
#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/table/table.h"

/* In quotes where it must be, quotes doubled. */
static void print_quoted(FILE *out, const char *text)
{
	bool plain = !strpbrk(text, ",\"\r\n");

	fputs(plain ? "" : "\"", out);
	for (; *text; text++) {
		fputs(*text == '"' ? "\"" : "", out);
		putc(*text, out);
	}
	fputs(plain ? "" : "\"", out);
}

static void print_spaced(FILE *out, const char *text)
{
	for (; *text; text++) {
		putc(strchr("\t\r\n", *text) ? ' ' : *text, out);
	}
}

static void print_text(FILE *out, const char *text, char separator)
{
	if (separator == ',') {
		print_quoted(out, text);
	} else {
		print_spaced(out, text);
	}
}

static void print_cell(FILE *out, const struct kt_column *column,
		       const struct kt_cell *cell, char separator)
{
	if (column->kind == KT_COLUMN_TEXT) {
		print_text(out, cell->text ? cell->text : "", separator);
	} else if (cell->known) {
		fprintf(out, column->kind == KT_COLUMN_HANDLE ? "0x%" PRIx64 : "%" PRIu64,
			cell->number);
	}
}

static int print(FILE *out, const struct kt_table *t, char separator)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		fprintf(out, "%s", t->columns[i].key);
		putc(i + 1 < t->n_columns ? separator : '\n', out);
	}
	for (size_t row = 0; row < t->n_rows; row++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			print_cell(out, &t->columns[i], &kt_table_row(t, row)[i],
				   separator);
			putc(i + 1 < t->n_columns ? separator : '\n', out);
		}
	}
	return KT_OK;
}

int kt_table_print_csv(FILE *out, const struct kt_table *table)
{
	return print(out, table, ',');
}

int kt_table_print_tsv(FILE *out, const struct kt_table *table)
{
	return print(out, table, '\t');
}
