/* SPDX-License-Identifier: MIT */
/* How a table is shown: which of its columns, and by which of them the rows are sorted. */
#ifndef KTAIL_BASE_TABLE_VIEW_H
#define KTAIL_BASE_TABLE_VIEW_H

#include "base/table.h"

struct kt_sort_key {
	size_t column;
	bool reversed;
};

/* All zero: all columns, rows as they are. Free with kt_table_view_free(). */
struct kt_table_view {
	struct kt_column *columns; /* Owned by this: those shown, each of rank 0 */
	size_t *chosen;            /* Owned by this: their indexes in the whole table */
	size_t n_columns;          /* 0: all columns are shown */
	struct kt_sort_key *keys;  /* Owned by this: the most important one first */
	size_t n_keys;
};

/*
 * Parses the arguments of --columns (NAME,...) and --sort (NAME,... with "-" before a name
 * to reverse the order) for tables with the columns of `head`. A NULL argument means that
 * the option was not given. KT_E_USAGE with a message that names all columns if there is no
 * such column; KT_E_MEMORY. The caller frees *out also after a failure.
 */
int kt_table_view_parse(struct kt_table_view *out, const struct kt_table *head,
			const char *columns, const char *sort);

/*
 * Sorts the rows except the total: numbers in descending order, texts and handles in
 * ascending order; empty and unknown cells come last, also in reversed order. Equal rows
 * keep their order. KT_E_MEMORY. O(rows log rows).
 */
int kt_table_view_sort(const struct kt_table_view *view, struct kt_table *table);

/*
 * Makes a table of the chosen columns of `table`, in the order of --columns, which must have
 * been given. The columns belong to the view; the caller frees *out, also after a failure.
 * KT_E_MEMORY.
 */
int kt_table_view_show(const struct kt_table_view *view, const struct kt_table *table,
		       struct kt_table *out);

void kt_table_view_free(struct kt_table_view *view);

#endif
