/* SPDX-License-Identifier: MIT */
/* A table, and its forms for programs: values with separators, JSON. */
#include "annotate/table/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

int kt_table_add(struct kt_table *table, struct kt_cell **out)
{
	size_t first = table->n_rows * table->n_columns;

	KT_TRY(kt_array_reserve(&table->cells, &table->capacity, first + table->n_columns));
	*out = &table->cells[first];
	memset(*out, 0, table->n_columns * sizeof(**out));
	table->n_rows++;
	return KT_OK;
}

void kt_table_free(struct kt_table *table)
{
	free(table->cells);
	table->cells = NULL;
	table->n_rows = 0;
	table->capacity = 0;
}

/* --- separated values --- */

/* Between commas in quotes where it must be, quotes doubled. */
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
	for (size_t i = 0; i < t->n_columns; i++) {
		fprintf(out, "%s", t->columns[i].key);
		putc(i + 1 < t->n_columns ? separator : '\n', out);
	}
	for (size_t row = 0; row < t->n_rows; row++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			const enum kt_column_kind kind = t->columns[i].kind;
			const struct kt_cell *cell = &kt_table_row(t, row)[i];

			if (kind == KT_COLUMN_TEXT) {
				print_separated_text(out, cell->text ? cell->text : "",
						     separator);
			} else if (cell->known) {
				fprintf(out,
					kind == KT_COLUMN_HANDLE ? "0x%" PRIx64
								 : "%" PRIu64,
					cell->number);
			}
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

/* --- JSON: an object for each row --- */

static json_t *row_to_json(const struct kt_table *table, size_t row, bool texts)
{
	json_t *object = json_object();
	char handle[24];

	for (size_t i = 0; object && i < table->n_columns; i++) {
		const struct kt_column *column = &table->columns[i];
		const struct kt_cell *cell = &kt_table_row(table, row)[i];
		json_t *value;

		if (column->kind == KT_COLUMN_TEXT && !texts) {
			continue;
		}
		if (column->kind == KT_COLUMN_TEXT ? !cell->text : !cell->known) {
			value = json_null();
		} else if (column->kind == KT_COLUMN_TEXT) {
			value = json_string(cell->text);
		} else if (column->kind == KT_COLUMN_HANDLE) {
			snprintf(handle, sizeof(handle), "0x%" PRIx64, cell->number);
			value = json_string(handle);
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
