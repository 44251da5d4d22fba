/* SPDX-License-Identifier: MIT */
/*
 * A table of typed columns, and rows of texts and numbers, that can be printed as text,
 * CSV, TSV or JSON.
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
	KT_COLUMN_TIME,    /* nanoseconds; text shows microseconds */
	KT_COLUMN_HANDLE,  /* a number written in hexadecimal: 0x... */
	KT_COLUMN_SHARE,   /* ten-thousandths of a whole, from kt_share() */
	KT_COLUMN_PERCENT, /* the same; text shows per cent */
};

struct kt_column {
	const char *key;  /* name of the column in JSON, CSV, TSV */
	const char *head; /* heading in text; NULL: the table is never printed as text */
	enum kt_column_kind kind;
	/*
	 * In text, a column of rank 0 is always shown, and a column of rank KT_COLUMN_WIDE
	 * only if the width is unlimited. Columns of the ranks between are shown in
	 * ascending order of rank, up to the first rank that does not fit into the width.
	 */
	int rank;
};

#define KT_COLUMN_WIDE 100

struct kt_cell {
	const char *text; /* Weak; of a text column; NULL: empty */
	uint64_t number;
	bool known; /* whether `number` is known */
};

#define KT_TEXT_CELL(t)                                                                    \
	{                                                                                  \
		.text = (t)                                                                \
	}
#define KT_CELL(n)                                                                         \
	{                                                                                  \
		.number = (n), .known = true                                               \
	}

/* Returns part / whole in ten-thousandths, rounded half up; 0 if whole is 0. */
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
	size_t capacity; /* in cells */
	bool has_total;  /* the last row is the sum of the others */
	/*
	 * Weak: the option that outputs all columns, named in a line below a table whose
	 * columns do not all fit; NULL: "--wide"
	 */
	const char *all_in;
};

/* An empty table whose columns are the elements of `array`. */
#define KT_TABLE_OF(array)                                                                 \
	((struct kt_table){.columns = (array),                                             \
			   .n_columns = sizeof(array) / sizeof((array)[0])})

/*
 * Adds a row of unknown cells and sets *out to its first cell; *out is valid until the
 * next row is added. KT_E_MEMORY with a message.
 */
int kt_table_add(struct kt_table *table, struct kt_cell **out);

/* Adds a row with a copy of `cells`, one per column. KT_E_MEMORY. */
int kt_table_add_row(struct kt_table *table, const struct kt_cell *cells);

#define KT_TABLE_ROW(table, ...)                                                           \
	kt_table_add_row(table, (const struct kt_cell[]){__VA_ARGS__})

static inline const struct kt_cell *kt_table_row(const struct kt_table *table, size_t row)
{
	return &table->cells[row * table->n_columns];
}

void kt_table_free(struct kt_table *table);

/*
 * Prints aligned columns. Omits columns above rank 0 whose cells are all empty, unknown or
 * 0. If `width`, in terminal columns, is not 0, also truncates long texts, omits columns
 * that do not fit (by rank), and names the omitted columns in a last line. KT_E_MEMORY.
 */
int kt_table_print_text(FILE *out, const struct kt_table *table, size_t width);

/* kt_table_print_text() with unlimited width. */
int kt_table_print_whole(FILE *out, const struct kt_table *table);

/* Prints comma-separated values (RFC 4180, with LF line ends). */
int kt_table_print_csv(FILE *out, const struct kt_table *table);

/* Prints tab-separated values; tabs and line ends in texts become spaces. */
int kt_table_print_tsv(FILE *out, const struct kt_table *table);

/* Prints the array of kt_table_to_json(), one object per line. */
int kt_table_print_json(FILE *out, const struct kt_table *table);

/*
 * Returns a new reference to an array with an object for each row except the total; unknown
 * values are null. NULL if memory runs out.
 */
json_t *kt_table_to_json(const struct kt_table *table);

/*
 * Returns a new reference to the total as an object without text columns, or to a JSON null
 * if there is no total. NULL if memory runs out.
 */
json_t *kt_table_total_to_json(const struct kt_table *table);

/* Prints text that fits the terminal `out`, or TSV if `out` is not a terminal. */
int kt_table_print_here(FILE *out, const struct kt_table *table);

/* --- make, write and free a table --- */

/*
 * Makes a table from the caller's data `of`. The caller frees *out with kt_table_free(),
 * also after a failure.
 */
typedef int kt_table_make_fn(struct kt_table *out, const void *of);

typedef int kt_table_print_fn(FILE *out, const struct kt_table *table);

int kt_table_output(FILE *out, const void *of, kt_table_make_fn *make,
		    kt_table_print_fn *print);

/*
 * Prints an empty line, a heading and the table as text: as wide as the terminal `out`, or
 * with all columns if `out` is not a terminal.
 */
int kt_table_output_under(FILE *out, const char *heading, const void *of,
			  kt_table_make_fn *make);

/* Adds the table to `object` as an array of objects. */
int kt_table_output_member(json_t *object, const char *name, const void *of,
			   kt_table_make_fn *make);

#endif
