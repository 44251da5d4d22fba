/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/decode/qmd/qmd-tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 5

static void remove_field(struct kt_qmd_table_layout *layout, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < layout->n; i++) {
		if (strcmp(layout->fields[i].name, name) != 0) {
			layout->fields[kept++] = layout->fields[i];
		}
	}
	layout->n = kept;
}

static bool begin_layout(struct kt_qmd_table *table, char *const column[COLUMNS])
{
	struct kt_qmd_table_layout *layout = &table->layouts[table->n];
	char *rest = column[3];
	char *part;

	if (table->n == KT_QMD_TABLE_LAYOUTS) {
		return false;
	}
	if (table->n > 0) {
		*layout = table->layouts[table->n - 1];
		layout->n_classes = 0;
	}
	table->n++;
	sscanf(column[1], "%u_%u", &layout->major, &layout->minor);
	layout->bytes = (unsigned)strtoul(column[2], NULL, 10);
	while ((part = strsep(&rest, " ")) && layout->n_classes < 8) {
		layout->classes[layout->n_classes++] = (uint32_t)strtoul(part, NULL, 16);
	}
	return true;
}

static void remove_all(struct kt_qmd_table_layout *layout, char *names)
{
	char *part;

	while ((part = strsep(&names, " "))) {
		remove_field(layout, part);
	}
}

/* A field replaces an earlier one of the same name. */
static bool add_field(struct kt_qmd_table_layout *layout, char *const column[COLUMNS])
{
	struct kt_qmd_table_field *field;

	remove_field(layout, column[0]);
	if (layout->n == KT_QMD_TABLE_FIELDS || strlen(column[0]) >= sizeof(field->name) ||
	    strlen(column[4]) >= sizeof(field->values)) {
		return false;
	}
	field = &layout->fields[layout->n++];
	*field = (struct kt_qmd_table_field){.rows = 1, .columns = 1};
	strcpy(field->name, column[0]);
	field->hi = (unsigned)strtoul(column[1], NULL, 10);
	field->lo = (unsigned)strtoul(column[2], NULL, 10);
	sscanf(column[3], "%ux%u,%ux%u", &field->rows, &field->row_bits, &field->columns,
	       &field->column_bits);
	strcpy(field->values, column[4]);
	return true;
}

static bool read_line(struct kt_qmd_table *table, char *line)
{
	char empty[] = "";
	char *column[COLUMNS];
	struct kt_qmd_table_layout *layout = &table->layouts[table->n - !!table->n];

	line[strcspn(line, "\n")] = '\0';
	if (line[0] == '#' || line[0] == '\0') {
		return true;
	}
	for (int i = 0; i < COLUMNS; i++) {
		column[i] = line ? strsep(&line, "\t") : empty;
	}
	if (strcmp(column[0], "launch") == 0) {
		return true;
	}
	if (strcmp(column[0], "version") == 0) {
		return begin_layout(table, column);
	}
	if (strcmp(column[0], "gone") == 0) {
		remove_all(layout, column[1]);
		return true;
	}
	return add_field(layout, column);
}

int kt_qmd_table_read(struct kt_qmd_table *out, const char *folder)
{
	char path[4096];
	char line[8192];
	FILE *file;
	bool ok = true;

	out->n = 0;
	out->layouts = calloc(KT_QMD_TABLE_LAYOUTS, sizeof(*out->layouts));
	snprintf(path, sizeof(path), "%s/qmd.tsv", folder);
	file = fopen(path, "r");
	while (out->layouts && file && ok && fgets(line, sizeof(line), file)) {
		ok = read_line(out, line);
	}
	ok = ok && out->layouts && file;
	if (file) {
		fclose(file);
	}
	if (!ok) {
		kt_qmd_table_free(out);
	}
	return ok ? 0 : -1;
}

void kt_qmd_table_free(struct kt_qmd_table *table)
{
	free(table->layouts);
	*table = (struct kt_qmd_table){0};
}

const struct kt_qmd_table_layout *kt_qmd_table_find(const struct kt_qmd_table *table,
						    uint32_t class_, unsigned major,
						    unsigned minor)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct kt_qmd_table_layout *layout = &table->layouts[i];

		for (size_t k = 0; k < layout->n_classes; k++) {
			if (layout->classes[k] == class_ && layout->major == major &&
			    layout->minor == minor) {
				return layout;
			}
		}
	}
	return NULL;
}

const struct kt_qmd_table_field *
kt_qmd_table_field(const struct kt_qmd_table_layout *layout, const char *name)
{
	for (size_t i = 0; i < layout->n; i++) {
		if (strcmp(layout->fields[i].name, name) == 0) {
			return &layout->fields[i];
		}
	}
	return NULL;
}

void kt_qmd_table_put(const struct kt_qmd_table_field *field, unsigned index,
		      uint64_t value, uint32_t words[KT_QMD_TABLE_WORDS])
{
	unsigned at = field->lo + index / field->columns * field->row_bits +
		      index % field->columns * field->column_bits;

	for (unsigned i = 0; i <= field->hi - field->lo; i++) {
		uint32_t bit = UINT32_C(1) << (at + i) % 32;

		words[(at + i) / 32] &= ~bit;
		words[(at + i) / 32] |= value >> i & 1 ? bit : 0;
	}
}

/* Returns the index of the name among the field's values, -1 if it is not there. */
static int find_value(const struct kt_qmd_table_field *field, const char *name)
{
	char copy[sizeof(field->values)];
	char *rest = copy;
	char *part;

	strcpy(copy, field->values);
	for (int i = 0; (part = strsep(&rest, " ")); i++) {
		if (strcmp(part, name) == 0 && strcmp(name, "-") != 0) {
			return i;
		}
	}
	return -1;
}

bool kt_qmd_table_set(const struct kt_qmd_table_layout *layout, const char *text,
		      uint32_t words[KT_QMD_TABLE_WORDS])
{
	const struct kt_qmd_table_field *field;
	char name[64] = "", value[64] = "";
	unsigned index = 0;
	unsigned long long number;
	char *end;

	if (sscanf(text, "%63[^(=](%u)=%63s", name, &index, value) < 3 &&
	    sscanf(text, "%63[^=]=%63s", name, value) < 2) {
		return false;
	}
	field = kt_qmd_table_field(layout, name);
	if (!field || index >= field->rows * field->columns) {
		return false;
	}
	number = strtoull(value, &end, 0);
	if (*end) {
		int found = find_value(field, value);

		if (found < 0) {
			return false;
		}
		number = (unsigned long long)found;
	}
	if (field->hi - field->lo < 63 && number >> (field->hi - field->lo + 1)) {
		return false;
	}
	kt_qmd_table_put(field, index, number, words);
	return true;
}
