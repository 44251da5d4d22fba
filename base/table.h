/* SPDX-License-Identifier: MIT */
/*
 * A table that can be printed in several forms: columns that say what they are, rows of
 * texts and numbers, and what holds for all of it.
 */
#ifndef KTAIL_BASE_TABLE_H
#define KTAIL_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

enum kt_column_kind {
	KT_COLUMN_TEXT,
	KT_COLUMN_COUNT,
	KT_COLUMN_TIME,   /* ns; in text us */
	KT_COLUMN_HANDLE, /* a number that is written 0x... */
	KT_COLUMN_SHARE,  /* ten-thousandths: kt_share() */
};

struct kt_column {
	const char *key;  /* in JSON, CSV, TSV */
	const char *head; /* in text; NULL: the table is never printed so */
	enum kt_column_kind kind;
	/* In text: 0: always there; KT_COLUMN_WIDE: only if all is wanted; else those of
	 * low ranks are shown first, as far as there is room. */
	int rank;
};

#define KT_COLUMN_WIDE 100

struct kt_cell {
	const char *text; /* Weak; NULL: none */
	uint64_t number;
	bool known; /* of numbers */
};

#define KT_TEXT_CELL(t)                                                                    \
	{                                                                                  \
		.text = (t)                                                                \
	}
#define KT_CELL(n)                                                                         \
	{                                                                                  \
		.number = (n), .known = true                                               \
	}

/* part / whole, rounded, so that it is the same everywhere; 0 of 0 is 0. */
static inline uint64_t kt_share(uint64_t part, uint64_t whole)
{
	double share = whole ? (double)part / (double)whole : 0;

	return (uint64_t)(share * 10000 + 0.5);
}

struct kt_table {
	const struct kt_column *columns; /* Weak */
	size_t n_columns;
	struct kt_cell *cells; /* Owned by this: row by row */
	size_t n_rows;
	size_t capacity; /* of cells */
	bool has_total;  /* the last row is a sum */
	/* Weak: where all columns are, said where text leaves some out; NULL: --wide */
	const char *all_in;
};

/* A table of the columns of an array, without rows. */
#define KT_TABLE_OF(array)                                                                 \
	((struct kt_table){.columns = (array),                                             \
			   .n_columns = sizeof(array) / sizeof((array)[0])})

/* A row more, all cells unknown, in *out until the next one. KT_E_MEMORY with a message. */
int kt_table_add(struct kt_table *table, struct kt_cell **out);

/* A row of these cells, one a column. */
int kt_table_add_row(struct kt_table *table, const struct kt_cell *cells);

#define KT_TABLE_ROW(table, ...)                                                           \
	kt_table_add_row(table, (const struct kt_cell[]){__VA_ARGS__})

static inline const struct kt_cell *kt_table_row(const struct kt_table *table, size_t row)
{
	return &table->cells[row * table->n_columns];
}

void kt_table_free(struct kt_table *table);

/*
 * For people: aligned, columns in which nothing is but zeros left out, and as many others
 * that it fits into `width` columns of a terminal (0: all of them stay). What was left out
 * for want of room is said below.
 */
int kt_table_print_text(FILE *out, const struct kt_table *table, size_t width);

/* Text with all columns. */
int kt_table_print_whole(FILE *out, const struct kt_table *table);

/* Comma-separated values as RFC 4180 has them (LF at the ends of lines). */
int kt_table_print_csv(FILE *out, const struct kt_table *table);

/* Tab-separated; tabs and ends of lines in texts become spaces. */
int kt_table_print_tsv(FILE *out, const struct kt_table *table);

/* An array of objects as kt_table_to_json() has them, one a line. */
int kt_table_print_json(FILE *out, const struct kt_table *table);

/*
 * An array of objects, without the total; what is unknown is null. A new reference; NULL:
 * out of memory.
 */
json_t *kt_table_to_json(const struct kt_table *table);

/* The total alone, without texts. Likewise. */
json_t *kt_table_total_to_json(const struct kt_table *table);

/* Text as wide as the terminal that `out` writes to; TSV if that is not a terminal. */
int kt_table_print_here(FILE *out, const struct kt_table *table);

/* --- a table that is made, written and freed --- */

/* Makes a table of something; as kt_table_free() wants it, also on failure. */
typedef int kt_table_make_fn(struct kt_table *out, const void *of);

typedef int kt_table_print_fn(FILE *out, const struct kt_table *table);

int kt_table_output(FILE *out, const void *of, kt_table_make_fn *make,
		    kt_table_print_fn *print);

/* An empty line, a heading, the table in text. */
int kt_table_output_under(FILE *out, const char *heading, const void *of,
			  kt_table_make_fn *make);

/* Puts it into an object as an array of objects. */
int kt_table_output_member(json_t *object, const char *name, const void *of,
			   kt_table_make_fn *make);

#endif
