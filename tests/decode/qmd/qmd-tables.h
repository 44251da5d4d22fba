/* SPDX-License-Identifier: MIT */
/*
 * Reads the table of QMDs independently of the library, and lists the fields of each layout
 * with their bits. Encoders in tests use the list; other tests compare the library with it.
 */
#ifndef KTAIL_TESTS_QMD_TABLES_H
#define KTAIL_TESTS_QMD_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KT_QMD_TABLE_LAYOUTS 32
#define KT_QMD_TABLE_FIELDS  320
#define KT_QMD_TABLE_WORDS   96

struct kt_qmd_table_field {
	char name[64];
	unsigned hi;
	unsigned lo;
	/* an array has rows times columns elements; both are 1 without an array */
	unsigned rows;
	unsigned row_bits;
	unsigned columns;
	unsigned column_bits;
	/* names of the values 0, 1, ..., separated by blanks; "-": the value has no name */
	char values[512];
};

struct kt_qmd_table_layout {
	unsigned major;
	unsigned minor;
	unsigned bytes;
	uint32_t classes[8];
	size_t n_classes;
	struct kt_qmd_table_field fields[KT_QMD_TABLE_FIELDS];
	size_t n;
};

struct kt_qmd_table {
	struct kt_qmd_table_layout *layouts; /* Owned by this */
	size_t n;
};

/*
 * Reads qmd.tsv of a folder. Returns -1 if there is no memory, if the file cannot be opened
 * or if it exceeds the limits above, else 0.
 */
int kt_qmd_table_read(struct kt_qmd_table *out, const char *folder);
void kt_qmd_table_free(struct kt_qmd_table *table);

/* Returns the layout that a class has for a version, NULL if it has none. */
const struct kt_qmd_table_layout *kt_qmd_table_find(const struct kt_qmd_table *table,
						    uint32_t class_, unsigned major,
						    unsigned minor);

/* Returns the field of that name, NULL if there is none. */
const struct kt_qmd_table_field *
kt_qmd_table_field(const struct kt_qmd_table_layout *layout, const char *name);

/* Writes element `index` of a field, bit by bit. */
void kt_qmd_table_put(const struct kt_qmd_table_field *field, unsigned index,
		      uint64_t value, uint32_t words[KT_QMD_TABLE_WORDS]);

/*
 * Sets a field by the text "NAME=VALUE" or "NAME(3)=VALUE", where VALUE is a number or a
 * name. Returns false if there is no such field or value, or if the number is too wide.
 */
bool kt_qmd_table_set(const struct kt_qmd_table_layout *layout, const char *text,
		      uint32_t words[KT_QMD_TABLE_WORDS]);

#endif
