/* SPDX-License-Identifier: MIT */
/* Tables as files: what each format writes. */
#ifndef KTAIL_ANNOTATE_TABLE_OUTPUT_H
#define KTAIL_ANNOTATE_TABLE_OUTPUT_H

#include <stdio.h>

#include "annotate/table/table.h"
#include "infer/files/output.h"

/* Makes a table of something; as kt_table_free() wants it, also on failure. */
typedef int kt_table_make_fn(struct kt_table *out, const void *of);

typedef int kt_table_print_fn(FILE *out, const struct kt_table *table);

/* Makes it, writes it in one format and frees it. The file is the caller's. */
int kt_table_output(FILE *out, const void *of, kt_table_make_fn *make,
		    kt_table_print_fn *print);

/* Formats beside kt_table_print_csv() and kt_table_print_tsv(): text with all columns; an
 * array of objects, one a line. */
int kt_table_print_whole(FILE *out, const struct kt_table *table);
int kt_table_print_json(FILE *out, const struct kt_table *table);

/* An empty line, a heading, the table in text. */
int kt_table_output_under(FILE *out, const char *heading, const void *of,
			  kt_table_make_fn *make);

/*
 * Defines a kt_output_kind: the table in a file of any of these formats. A format's writer
 * is not told which table, so each kind has its own.
 */
#define KT_TABLE_OUTPUT_KIND(kind, name, make)                                             \
	static int kind##_text(FILE *out, const void *of)                                  \
	{                                                                                  \
		return kt_table_output(out, of, make, kt_table_print_whole);               \
	}                                                                                  \
	static int kind##_csv(FILE *out, const void *of)                                   \
	{                                                                                  \
		return kt_table_output(out, of, make, kt_table_print_csv);                 \
	}                                                                                  \
	static int kind##_tsv(FILE *out, const void *of)                                   \
	{                                                                                  \
		return kt_table_output(out, of, make, kt_table_print_tsv);                 \
	}                                                                                  \
	static int kind##_json(FILE *out, const void *of)                                  \
	{                                                                                  \
		return kt_table_output(out, of, make, kt_table_print_json);                \
	}                                                                                  \
	static const struct kt_output_format kind##_formats[] = {                          \
		{".tsv", NULL, kind##_tsv},   {".csv", NULL, kind##_csv},                  \
		{".json", NULL, kind##_json}, {".txt", NULL, kind##_text},                 \
		{NULL, NULL, NULL},                                                        \
	};                                                                                 \
	static const struct kt_output_kind kind = {                                        \
		.what = name, .formats = kind##_formats, .json = kind##_json}

/* Puts a table into an object as an array of objects, and frees it. KT_E_MEMORY. */
int kt_table_output_member(json_t *object, const char *name, const void *of,
			   kt_table_make_fn *make);

#endif
