/* SPDX-License-Identifier: MIT */
/* A table as JSON: an object for each row. */
#include <inttypes.h>
#include <stdio.h>

#include "annotate/table/table.h"

static json_t *cell_to_json(const struct kt_column *column, const struct kt_cell *cell)
{
	char handle[24];

	if (column->kind == KT_COLUMN_TEXT) {
		return cell->text ? json_string(cell->text) : json_null();
	}
	if (!cell->known) {
		return json_null();
	}
	if (column->kind == KT_COLUMN_HANDLE) {
		snprintf(handle, sizeof(handle), "0x%" PRIx64, cell->number);
		return json_string(handle);
	}
	return json_integer(cell->number <= INT64_MAX ? (json_int_t)cell->number
						      : INT64_MAX);
}

static json_t *row_to_json(const struct kt_table *table, size_t row, bool texts)
{
	json_t *object = json_object();

	for (size_t i = 0; object && i < table->n_columns; i++) {
		const struct kt_column *column = &table->columns[i];

		if ((texts || column->kind != KT_COLUMN_TEXT) &&
		    json_object_set_new(
			    object, column->key,
			    cell_to_json(column, &kt_table_row(table, row)[i]))) {
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
