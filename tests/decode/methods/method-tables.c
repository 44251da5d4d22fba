/* SPDX-License-Identifier: MIT */
#include "tests/decode/methods/method-tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS 100000

void kt_table_class(const struct kt_table *table, uint32_t class_, size_t *first,
		    size_t *end)
{
	*first = *end = table->n;
	for (size_t i = 0; i < table->n_classes; i++) {
		if (table->classes[i].class_ == class_) {
			*first = table->classes[i].first;
			*end = table->classes[i].end;
		}
	}
}

/* Closes the newest class, whose rows are the last ones. */
static void close_class(struct kt_table *table)
{
	if (table->n_classes > 0) {
		table->classes[table->n_classes - 1].end = table->n;
	}
}

static void open_class(struct kt_table *table, uint32_t class_)
{
	close_class(table);
	if (table->n_classes < KT_TABLE_CLASSES) {
		table->classes[table->n_classes].class_ = class_;
		table->classes[table->n_classes++].first = table->n;
	}
}

static int is(const struct kt_table_row *a, const struct kt_table_row *b)
{
	return a->class_ == b->class_ && strcmp(a->method, b->method) == 0 &&
	       strcmp(a->field, b->field) == 0 && strcmp(a->value, b->value) == 0;
}

static int is_below(const struct kt_table_row *row, const struct kt_table_row *above)
{
	return row->class_ == above->class_ && strcmp(row->method, above->method) == 0 &&
	       (!above->field[0] || strcmp(row->field, above->field) == 0) &&
	       (!above->value[0] || strcmp(row->value, above->value) == 0);
}

/* Searches from the end, because rows are added to the newest class, which is last. */
static void put(struct kt_table *table, const struct kt_table_row *row)
{
	for (size_t i = table->n; i > 0 && table->rows[i - 1].class_ == row->class_; i--) {
		if (is(&table->rows[i - 1], row)) {
			table->rows[i - 1] = *row;
			return;
		}
	}
	if (table->n < MAX_ROWS) {
		table->rows[table->n++] = *row;
	}
}

static void take_away(struct kt_table *table, const struct kt_table_row *above)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->n; i++) {
		if (!is_below(&table->rows[i], above)) {
			table->rows[kept++] = table->rows[i];
		}
	}
	table->n = kept;
}

static void copy_parent(struct kt_table *table, uint32_t parent, uint32_t child)
{
	size_t first, end;

	kt_table_class(table, parent, &first, &end);
	for (size_t i = first + 1; i < end && table->n < MAX_ROWS; i++) {
		table->rows[table->n] = table->rows[i];
		table->rows[table->n++].class_ = child;
	}
}

/* `at` holds the class, method and field of the previous lines. */
static void read_line(struct kt_table *table, struct kt_table_row *at, char word[5][64],
		      int n)
{
	struct kt_table_row row = *at;

	memset(row.value, 0, sizeof(row.value));
	if (strcmp(word[0], "class") == 0) {
		memset(&row, 0, sizeof(row));
		row.class_ = (uint32_t)strtoul(word[1], NULL, 16);
		snprintf(row.class_name, sizeof(row.class_name), "%.63s", word[2]);
		open_class(table, row.class_);
		put(table, &row);
		if (n == 4) {
			copy_parent(table, (uint32_t)strtoul(word[3], NULL, 16),
				    row.class_);
		}
		*at = row;
	} else if (strcmp(word[0], "method") == 0) {
		memset(row.field, 0, sizeof(row.field));
		snprintf(row.method, sizeof(row.method), "%.63s", word[2]);
		row.offset = (uint32_t)strtoul(word[1], NULL, 16);
		row.count = n == 5 ? (uint32_t)strtoul(word[3], NULL, 10) : 1;
		row.stride = n == 5 ? (uint32_t)strtoul(word[4], NULL, 10) : 0;
		put(table, &row);
		*at = row;
	} else if (strcmp(word[0], "field") == 0) {
		char *lo;

		snprintf(row.field, sizeof(row.field), "%.63s", word[2]);
		row.hi = (uint32_t)strtoul(word[1], &lo, 10);
		row.lo = (uint32_t)strtoul(lo + 1, NULL, 10);
		put(table, &row);
		*at = row;
	} else if (strcmp(word[0], "value") == 0) {
		snprintf(row.value, sizeof(row.value), "%.63s", word[2]);
		row.number = (uint32_t)strtoul(word[1], NULL, 16);
		put(table, &row);
	} else if (strcmp(word[0], "-method") == 0) {
		snprintf(row.method, sizeof(row.method), "%.63s", word[1]);
		memset(row.field, 0, sizeof(row.field));
		take_away(table, &row);
	} else if (strcmp(word[0], "-field") == 0) {
		snprintf(row.field, sizeof(row.field), "%.63s", word[1]);
		take_away(table, &row);
	} else if (strcmp(word[0], "-value") == 0) {
		snprintf(row.value, sizeof(row.value), "%.63s", word[1]);
		take_away(table, &row);
	}
}

static int read_file(struct kt_table *table, const char *folder, const char *name)
{
	struct kt_table_row at = {0};
	char path[4096];
	char line[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/methods-%s.txt", folder, name);
	file = fopen(path, "r");
	if (!file) {
		return -1;
	}
	while (fgets(line, sizeof(line), file)) {
		char word[5][64];
		int n = sscanf(line, "%63s %63s %63s %63s %63s", word[0], word[1], word[2],
			       word[3], word[4]);

		if (n > 0 && word[0][0] != '#') {
			read_line(table, &at, word, n);
		}
	}
	fclose(file);
	return 0;
}

int kt_table_read(struct kt_table *out, const char *folder)
{
	static const char *const names[] = {"memory", "host", "copy", "compute",
					    "graphics"};

	*out = (struct kt_table){0};
	out->rows = calloc(MAX_ROWS, sizeof(out->rows[0]));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!out->rows || read_file(out, folder, names[i]) != 0) {
			kt_table_free(out);
			return -1;
		}
		close_class(out);
	}
	return 0;
}

void kt_table_free(struct kt_table *table)
{
	free(table->rows);
	*table = (struct kt_table){0};
}
