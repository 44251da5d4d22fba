/* SPDX-License-Identifier: MIT */
/*
 * Reads the tables of methods independently of the library, slowly and simply: into one
 * flat list, with rows copied one by one from a parent class to its child. Tests compare
 * the library with the list.
 */
#ifndef KTAIL_TESTS_METHOD_TABLES_H
#define KTAIL_TESTS_METHOD_TABLES_H

#include <stddef.h>
#include <stdint.h>

#define KT_TABLE_NAME 64

/*
 * A class (without a method), a method (without a field), a field (without a value) or a
 * value.
 */
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

#define KT_TABLE_CLASSES 128

struct kt_table {
	struct kt_table_row *rows; /* Owned by this */
	size_t n;
	struct {
		uint32_t class_;
		size_t first; /* indices of the class's first row, and of the row after its
			       * last */
		size_t end;
	} classes[KT_TABLE_CLASSES];
	size_t n_classes;
};

/*
 * Reads methods-*.txt of a folder. Returns -1 if there is no memory or a file cannot be
 * opened, else 0.
 */
int kt_table_read(struct kt_table *out, const char *folder);
void kt_table_free(struct kt_table *table);

/*
 * Stores the index of a class's first row and the index after its last; the rows of a class
 * are adjacent.
 */
void kt_table_class(const struct kt_table *table, uint32_t class_, size_t *first,
		    size_t *end);

#endif
