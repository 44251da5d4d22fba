/* SPDX-License-Identifier: MIT */
#include "base/table-view.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/nearest.h"
#include "base/try.h"

/* --- names of columns --- */

static int refuse(const struct kt_table *head, const char *option, const char *name,
		  size_t length)
{
	struct kt_nearest nearest = {.word = name, .length = length};
	char meant[KT_DID_YOU_MEAN];
	char list[1024] = "";
	size_t n = 0;

	for (size_t i = 0; i < head->n_columns && n < sizeof(list); i++) {
		const struct kt_column *column = &head->columns[i];

		if (length > 0) {
			kt_nearest_try(&nearest, column->key);
		}
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "",
				      column->key);
	}
	/* The heading of a column in text output stands for the column's name. */
	for (size_t i = 0; i < head->n_columns; i++) {
		const char *heading = head->columns[i].head;

		if (heading && strlen(heading) == length &&
		    memcmp(heading, name, length) == 0) {
			nearest.found = head->columns[i].key;
		}
	}
	return kt_error(KT_E_USAGE,
			"%s: the table has no column '%.*s'%s The columns are: %s", option,
			(int)length, name,
			nearest.found ? kt_did_you_mean(meant, nearest.found) : ".", list);
}

static int find(const struct kt_table *head, const char *option, const char *name,
		size_t length, size_t *out)
{
	for (size_t i = 0; i < head->n_columns; i++) {
		const char *key = head->columns[i].key;

		if (strlen(key) == length && memcmp(key, name, length) == 0) {
			*out = i;
			return KT_OK;
		}
	}
	return refuse(head, option, name, length);
}

/* Returns how many names a list has that are separated by commas. */
static size_t count(const char *list)
{
	size_t n = 1;

	for (; *list; list++) {
		n += *list == ',';
	}
	return n;
}

static int parse_columns(struct kt_table_view *view, const struct kt_table *head,
			 const char *list)
{
	const size_t n = count(list);

	view->columns = calloc(n, sizeof(*view->columns));
	view->chosen = calloc(n, sizeof(*view->chosen));
	if (!view->columns || !view->chosen) {
		return kt_no_memory("choose columns");
	}
	for (size_t i = 0; i < n; i++) {
		const size_t length = strcspn(list, ",");

		KT_TRY(find(head, "--columns", list, length, &view->chosen[i]));
		view->columns[i] = head->columns[view->chosen[i]];
		view->columns[i].rank = 0;
		list += length + (i + 1 < n);
	}
	view->n_columns = n;
	return KT_OK;
}

static int parse_sort(struct kt_table_view *view, const struct kt_table *head,
		      const char *list)
{
	const size_t n = count(list);

	view->keys = calloc(n, sizeof(*view->keys));
	if (!view->keys) {
		return kt_no_memory("sort rows");
	}
	for (size_t i = 0; i < n; i++) {
		const size_t length = strcspn(list, ",");
		const bool reversed = list[0] == '-';

		view->keys[i].reversed = reversed;
		KT_TRY(find(head, "--sort", list + reversed, length - reversed,
			    &view->keys[i].column));
		list += length + (i + 1 < n);
	}
	view->n_keys = n;
	return KT_OK;
}

int kt_table_view_parse(struct kt_table_view *out, const struct kt_table *head,
			const char *columns, const char *sort)
{
	*out = (struct kt_table_view){.n_columns = 0};
	if (columns) {
		KT_TRY(parse_columns(out, head, columns));
	}
	return sort ? parse_sort(out, head, sort) : KT_OK;
}

void kt_table_view_free(struct kt_table_view *view)
{
	free(view->columns);
	free(view->chosen);
	free(view->keys);
	*view = (struct kt_table_view){.n_columns = 0};
}

/* --- order --- */

struct sorted_row {
	const struct kt_table_view *view;
	const struct kt_table *table;
	size_t row;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Compares two rows by one column. */
static int compare_cells(const struct kt_column *column, bool reversed,
			 const struct kt_cell *a, const struct kt_cell *b)
{
	const bool is_text = column->kind == KT_COLUMN_TEXT;
	const bool has_a = is_text ? a->text && a->text[0] : a->known;
	const bool has_b = is_text ? b->text && b->text[0] : b->known;
	bool descending = !is_text && column->kind != KT_COLUMN_HANDLE;
	int order;

	if (!has_a || !has_b) {
		return has_b - has_a;
	}
	order = is_text ? strcmp(a->text, b->text) : compare_numbers(a->number, b->number);
	descending = descending != reversed;
	return descending ? -order : order;
}

static int compare_rows(const void *first, const void *second)
{
	const struct sorted_row *a = first;
	const struct sorted_row *b = second;
	const struct kt_table *table = a->table;

	for (size_t i = 0; i < a->view->n_keys; i++) {
		const struct kt_sort_key *key = &a->view->keys[i];
		const int order = compare_cells(&table->columns[key->column], key->reversed,
						&kt_table_row(table, a->row)[key->column],
						&kt_table_row(table, b->row)[key->column]);

		if (order) {
			return order;
		}
	}
	return compare_numbers(a->row, b->row);
}

int kt_table_view_sort(const struct kt_table_view *view, struct kt_table *table)
{
	const size_t n = table->n_rows - (table->has_total && table->n_rows > 0);
	const size_t width = table->n_columns * sizeof(*table->cells);
	struct sorted_row *rows;
	struct kt_cell *cells;
	int code = KT_OK;

	if (view->n_keys == 0 || n == 0) {
		return KT_OK;
	}
	rows = calloc(n, sizeof(*rows));
	cells = calloc(n, width);
	if (!rows || !cells) {
		code = kt_no_memory("sort rows");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		rows[i] = (struct sorted_row){.view = view, .table = table, .row = i};
	}
	qsort(rows, n, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < n; i++) {
		memcpy(cells + i * table->n_columns, kt_table_row(table, rows[i].row),
		       width);
	}
	memcpy(table->cells, cells, n * width);
end:
	free(rows);
	free(cells);
	return code;
}

/* --- choice --- */

int kt_table_view_show(const struct kt_table_view *view, const struct kt_table *table,
		       struct kt_table *out)
{
	*out = (struct kt_table){.columns = view->columns,
				 .n_columns = view->n_columns,
				 .has_total = table->has_total};
	for (size_t row = 0; row < table->n_rows; row++) {
		struct kt_cell *cells;

		KT_TRY(kt_table_add(out, &cells));
		for (size_t i = 0; i < out->n_columns; i++) {
			cells[i] = kt_table_row(table, row)[view->chosen[i]];
		}
	}
	return KT_OK;
}
