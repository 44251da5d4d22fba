/* SPDX-License-Identifier: MIT */
/* Tables as files: what each format writes. */
#ifndef KTAIL_ANNOTATE_TABLE_OUTPUT_H
#define KTAIL_ANNOTATE_TABLE_OUTPUT_H

#include <stdio.h>

#include "annotate/table.h"

/* Makes a table of something; as kt_table_free() wants it, also on failure. */
typedef int kt_table_make_fn(struct kt_table *out, const void *of);

/* Writes it in one format and frees it. The file is the caller's. */
int kt_table_output_text(FILE *out, const void *of, kt_table_make_fn *make);
int kt_table_output_csv(FILE *out, const void *of, kt_table_make_fn *make);
int kt_table_output_tsv(FILE *out, const void *of, kt_table_make_fn *make);
/* An array of objects, one a line. */
int kt_table_output_json(FILE *out, const void *of, kt_table_make_fn *make);

/* Puts a table into an object as an array of objects, and frees it. KT_E_MEMORY. */
int kt_table_output_member(json_t *object, const char *name, const void *of,
			   kt_table_make_fn *make);

#endif
