/* SPDX-License-Identifier: MIT */
#include "annotate/table/table.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

int kt_table_add(struct kt_table *table, struct kt_cell **out)
{
	size_t first = table->n_rows * table->n_columns;
	int code =
		kt_array_reserve(&table->cells, &table->capacity, first + table->n_columns);

	if (!code) {
		*out = &table->cells[first];
		memset(*out, 0, table->n_columns * sizeof(**out));
		table->n_rows++;
	}
	return code;
}

void kt_table_free(struct kt_table *table)
{
	free(table->cells);
	table->cells = NULL;
	table->n_rows = 0;
	table->capacity = 0;
}
