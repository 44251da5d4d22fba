/* SPDX-License-Identifier: MIT */
/*
 * Results as files: the ending of a name picks the format. What a result can be written as
 * is a table, one for each kind of result.
 */
#ifndef KTAIL_OUTPUT_H
#define KTAIL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include <ktail/fsm.h>

#include "base/table.h"

/* Writes a result; 0 or a status. */
typedef int (*kt_output_fn)(FILE *out, const void *result);

struct kt_output_format {
	const char *ending; /* ".json"; NULL ends the table */
	const char *render; /* what ktail-render calls it; NULL: written by `write` */
	kt_output_fn write;
};

struct kt_output_kind {
	const char *what;                       /* "machine": in messages */
	const struct kt_output_format *formats; /* the first is that of standard output */
	kt_output_fn json;                      /* what ktail-render is fed */
	kt_table_make_fn *table;                /* of a result */
};

/* Of a kind with `table`: .tsv .csv .json .txt. */
extern const struct kt_output_format kt_table_formats[];

/* The options -o and -f of a command line. */
struct kt_outputs {
	char **paths; /* Owned by this; its strings are argv's */
	size_t n;
	size_t capacity;
	const char *format; /* Weak: what -f names; NULL: endings decide */
};

/* One -o more. */
int kt_outputs_add(struct kt_outputs *outputs, const char *path);

/*
 * Before anything is read: KT_E_USAGE, saying what can be written, where a path is of none
 * of the formats, KT_E_IO where its folder is not there.
 */
int kt_outputs_check(const struct kt_outputs *outputs, const struct kt_output_kind *kind);

/* Whether one of them is standard output, or there is none. */
bool kt_outputs_have_standard(const struct kt_outputs *outputs);

void kt_outputs_clear(struct kt_outputs *outputs);

/*
 * Writes what a result's TSV says in another form: a table under the heads of its first
 * line, of texts, and in JSON of whole numbers.
 */
int kt_output_convert_tsv(FILE *out, const void *result, kt_output_fn tsv,
			  kt_table_print_fn *print);

/*
 * Writes a result to each path, or to standard output if there is none. All files are made
 * before the first is put in its place.
 */
int kt_outputs_write(const struct kt_outputs *outputs, const void *result,
		     const struct kt_output_kind *kind);

/* Some of the files of a command line, and what goes into them. */
struct kt_output_group {
	const struct kt_outputs *outputs; /* Weak */
	const void *result;               /* Weak */
	const struct kt_output_kind *kind;
};

/*
 * Writes each group's result to each of its paths, which may be none. All files of all
 * groups are made before the first is put in its place, in order of the groups.
 */
int kt_outputs_write_groups(const struct kt_output_group *groups, size_t n_groups);

/* Machines (struct kt_fsm): .dot .svg .png .pdf .json .txt .tsv .csv .gv .graphml. */
extern const struct kt_output_kind kt_output_machine;

/* Its transitions as a table: from, letter, to, count. */
int kt_output_machine_tsv(FILE *out, const void *fsm);

/* How large a machine is, and what it was made of, in a few lines for people. */
int kt_output_machine_summary(FILE *out, const void *fsm);

#endif
