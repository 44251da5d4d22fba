/* SPDX-License-Identifier: MIT */
/*
 * Reads and expands the tables of methods a second time, slowly and obviously: one flat
 * list of rows, copied row by row from a parent to its child. For comparison with the
 * library.
 */
#ifndef KTAIL_TESTS_METHOD_TABLES_H
#define KTAIL_TESTS_METHOD_TABLES_H

#include <stddef.h>
#include <stdint.h>

#define KT_TABLE_NAME 56

/* A method (no field), a field (no value) or a value; a class is a row without a method. */
struct kt_table_row {
	uint32_t class_;
	char class_name[KT_TABLE_NAME];
	char method[KT_TABLE_NAME];
	uint32_t offset;
	uint32_t count;
	uint32_t stride;
	char field[KT_TABLE_NAME];
	uint32_t hi;
	uint32_t lo;
	char value[KT_TABLE_NAME];
	uint32_t number;
};

struct kt_table {
	struct kt_table_row *rows; /* Owned by this */
	size_t n;
};

/*
 * Reads decode/tables/methods-*.txt below a folder. Returns 0, or -1 without memory or
 * such a file.
 */
int kt_table_read(struct kt_table *out, const char *folder);
void kt_table_free(struct kt_table *table);

/* Rows first to end of a class are adjacent. */
void kt_table_class(const struct kt_table *table, uint32_t class_, size_t *first,
		    size_t *end);

#endif
