/* SPDX-License-Identifier: MIT */
#include "base/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/terminal.h"
#include "base/try.h"

#define GAP       2  /* spaces between columns */
#define CELL      32 /* size of a buffer for a number as text */
#define NAME_LONG 30 /* maximum bytes of a text if the width is limited */

int kt_table_add(struct kt_table *table, struct kt_cell **out)
{
	size_t first = table->n_rows * table->n_columns;

	KT_TRY(kt_array_reserve(&table->cells, &table->capacity, first + table->n_columns));
	*out = &table->cells[first];
	memset(*out, 0, table->n_columns * sizeof(**out));
	table->n_rows++;
	return KT_OK;
}

int kt_table_add_row(struct kt_table *table, const struct kt_cell *cells)
{
	struct kt_cell *row;

	KT_TRY(kt_table_add(table, &row));
	memcpy(row, cells, table->n_columns * sizeof(*row));
	return KT_OK;
}

void kt_table_free(struct kt_table *table)
{
	free(table->cells);
	table->cells = NULL;
	table->n_rows = 0;
	table->capacity = 0;
}

static bool is_share(const struct kt_column *column)
{
	return column->kind == KT_COLUMN_SHARE || column->kind == KT_COLUMN_PERCENT;
}

/*
 * Returns a cell as text, stored in `buffer` or referenced by the cell. NULL if the value
 * is unknown.
 */
static const char *format_cell(const struct kt_column *column, const struct kt_cell *cell,
			       char buffer[CELL])
{
	if (column->kind == KT_COLUMN_TEXT) {
		return cell->text;
	}
	if (!cell->known) {
		return NULL;
	}
	if (is_share(column)) {
		snprintf(buffer, CELL, "%" PRIu64 ".%04" PRIu64, cell->number / 10000,
			 cell->number % 10000);
	} else {
		snprintf(buffer, CELL,
			 column->kind == KT_COLUMN_HANDLE ? "0x%" PRIx64 : "%" PRIu64,
			 cell->number);
	}
	return buffer;
}

/* --- text --- */

struct layout {
	const struct kt_table *table; /* Weak */
	size_t *widths; /* Owned by this: width of each column; 0: not shown */
	bool narrow;
};

static const char *cell_text(const struct kt_column *column, const struct kt_cell *cell,
			     char buffer[CELL])
{
	const char *text = format_cell(column, cell, buffer);

	if (column->kind == KT_COLUMN_TIME && text) {
		snprintf(buffer, CELL, "%" PRIu64 ".%03" PRIu64, cell->number / 1000,
			 cell->number % 1000);
	} else if (column->kind == KT_COLUMN_PERCENT && text) {
		snprintf(buffer, CELL, "%" PRIu64 ".%02" PRIu64, cell->number / 100,
			 cell->number % 100);
	}
	return text ? text : column->kind == KT_COLUMN_TEXT ? "" : "-";
}

static size_t limit(const struct layout *l, const struct kt_column *column)
{
	return l->narrow && column->kind == KT_COLUMN_TEXT ? NAME_LONG : SIZE_MAX;
}

/*
 * Returns the width of a column; 0 if the rank of the column is above 0 and all its cells
 * are empty, unknown or 0.
 */
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

/*
 * Prints a row, or the heading if row is n_rows. Aligns numbers to the right and texts to
 * the left, without trailing spaces.
 */
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
	fprintf(out, "%s\n", row == t->n_rows ? kt_colors_of(out)->plain : "");
}

int kt_table_print_text(FILE *out, const struct kt_table *table, size_t width)
{
	struct layout l = {
		.table = table,
		.widths = calloc(table->n_columns + 1, sizeof(*l.widths)),
		.narrow = width > 0,
	};
	const char *before = NULL;
	bool full = false;
	size_t used = 0;
	size_t at = 0;

	if (!l.widths) {
		return kt_no_memory("print table");
	}
	/*
	 * Show columns by rank, lowest first, up to the first rank that does not fit.
	 * Narrow columns of higher rank might still fit, but are less useful than those
	 * left out.
	 */
	for (int rank = 0; rank <= KT_COLUMN_WIDE && !full; rank++) {
		for (size_t i = 0; i < table->n_columns; i++) {
			size_t needs = table->columns[i].rank == rank ? measure(&l, i) : 0;
			size_t then = used + needs + (used ? GAP : 0);

			if (needs > 0 && (!l.narrow || rank == 0 ||
					  (rank < KT_COLUMN_WIDE && then <= width))) {
				l.widths[i] = needs;
				used = then;
			} else {
				full = full || needs > 0;
			}
		}
	}
	fputs(kt_colors_of(out)->bold, out);
	print_row(out, &l, table->n_rows);
	for (size_t i = 0; i < table->n_rows; i++) {
		print_row(out, &l, i);
	}
	/* Name the columns that did not fit. */
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct kt_column *c = &table->columns[i];

		if (l.widths[i] || c->rank == KT_COLUMN_WIDE || !measure(&l, i)) {
			continue;
		}
		if (!before) {
			at = (size_t)fprintf(out, "not shown for lack of space (%s): ",
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

int kt_table_print_whole(FILE *out, const struct kt_table *table)
{
	return kt_table_print_text(out, table, 0);
}

/* --- separated values --- */

/* Prints a text; for CSV, quotes the text if necessary, and doubles each quote in it. */
static void print_separated_text(FILE *out, const char *text, char separator)
{
	const bool quoted = separator == ',' && strpbrk(text, ",\"\r\n");

	fputs(quoted ? "\"" : "", out);
	for (; *text; text++) {
		if (separator != ',') {
			putc(strchr("\t\r\n", *text) ? ' ' : *text, out);
			continue;
		}
		fputs(*text == '"' ? "\"" : "", out);
		putc(*text, out);
	}
	fputs(quoted ? "\"" : "", out);
}

static int print_separated(FILE *out, const struct kt_table *t, char separator)
{
	char buffer[CELL];

	for (size_t i = 0; i < t->n_columns; i++) {
		fprintf(out, "%s", t->columns[i].key);
		putc(i + 1 < t->n_columns ? separator : '\n', out);
	}
	for (size_t row = 0; row < t->n_rows; row++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			const char *text = format_cell(&t->columns[i],
						       &kt_table_row(t, row)[i], buffer);

			print_separated_text(out, text ? text : "", separator);
			putc(i + 1 < t->n_columns ? separator : '\n', out);
		}
	}
	return KT_OK;
}

int kt_table_print_csv(FILE *out, const struct kt_table *table)
{
	return print_separated(out, table, ',');
}

int kt_table_print_tsv(FILE *out, const struct kt_table *table)
{
	return print_separated(out, table, '\t');
}

int kt_table_print_here(FILE *out, const struct kt_table *table)
{
	size_t width = kt_terminal_width(out);

	return width ? kt_table_print_text(out, table, width)
		     : kt_table_print_tsv(out, table);
}

/* --- JSON: an object for each row --- */

static json_t *row_to_json(const struct kt_table *table, size_t row, bool texts)
{
	json_t *object = json_object();
	char buffer[CELL];

	for (size_t i = 0; object && i < table->n_columns; i++) {
		const struct kt_column *column = &table->columns[i];
		const struct kt_cell *cell = &kt_table_row(table, row)[i];
		const char *text = format_cell(column, cell, buffer);
		json_t *value;

		if (column->kind == KT_COLUMN_TEXT && !texts) {
			continue;
		}
		if (!text) {
			value = json_null();
		} else if (column->kind == KT_COLUMN_TEXT ||
			   column->kind == KT_COLUMN_HANDLE) {
			value = json_string(text);
		} else if (is_share(column)) {
			value = json_real((double)cell->number / 10000);
		} else {
			value = json_integer(cell->number <= INT64_MAX
						     ? (json_int_t)cell->number
						     : INT64_MAX);
		}
		if (json_object_set_new(object, column->key, value)) {
			json_decref(object);
			object = NULL;
		}
	}
	return object;
}

json_t *kt_table_to_json(const struct kt_table *table)
{
	json_t *array = json_array();
	size_t n = table->n_rows - (table->has_total ? 1 : 0);

	for (size_t i = 0; array && i < n; i++) {
		if (json_array_append_new(array, row_to_json(table, i, true))) {
			json_decref(array);
			array = NULL;
		}
	}
	return array;
}

json_t *kt_table_total_to_json(const struct kt_table *table)
{
	return table->has_total && table->n_rows > 0
		       ? row_to_json(table, table->n_rows - 1, false)
		       : json_null();
}

int kt_table_print_json(FILE *out, const struct kt_table *table)
{
	json_t *array = kt_table_to_json(table);
	bool failed = !array;

	if (array) {
		fputs("[", out);
	}
	for (size_t i = 0; i < json_array_size(array) && !failed; i++) {
		fputs(i ? ",\n" : "\n", out);
		failed = json_dumpf(json_array_get(array, i), out,
				    JSON_COMPACT | JSON_REAL_PRECISION(12));
	}
	json_decref(array);
	if (failed) {
		return kt_no_memory("write table");
	}
	fputs("\n]\n", out);
	return KT_OK;
}

/* --- make, write and free a table --- */

int kt_table_output(FILE *out, const void *of, kt_table_make_fn *make,
		    kt_table_print_fn *print)
{
	struct kt_table table;
	int code;

	KT_TRY_END(make(&table, of));
	KT_TRY_END(print(out, &table));
end:
	kt_table_free(&table);
	return code;
}

static int print_under(FILE *out, const struct kt_table *table)
{
	struct kt_table shown = *table;

	shown.all_in = shown.all_in ? shown.all_in : "-o FILE";
	return kt_table_print_text(out, &shown, kt_terminal_width(out));
}

int kt_table_output_under(FILE *out, const char *heading, const void *of,
			  kt_table_make_fn *make)
{
	fprintf(out, "\n%s%s%s\n", kt_colors_of(out)->bold, heading,
		kt_colors_of(out)->plain);
	return kt_table_output(out, of, make, print_under);
}

int kt_table_output_member(json_t *object, const char *name, const void *of,
			   kt_table_make_fn *make)
{
	struct kt_table table;
	int code = make(&table, of);
	json_t *array = code ? NULL : kt_table_to_json(&table);

	kt_table_free(&table);
	if (code) {
		return code;
	}
	return !array || json_object_set_new(object, name, array)
		       ? kt_error(KT_E_MEMORY, "write %s: out of memory", name)
		       : KT_OK;
}
