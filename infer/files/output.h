/* SPDX-License-Identifier: MIT */
/*
 * Results as files: the ending of a name picks the format. What a result can be written as
 * is a table, one for each kind of result.
 */
#ifndef KTAIL_OUTPUT_H
#define KTAIL_OUTPUT_H

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
	const struct kt_output_format *formats; /* the first is for standard output */
	kt_output_fn json;                      /* what ktail-render is fed */
	kt_table_make_fn *table;                /* of a result */
};

/* Of a kind with `table`: .tsv .csv .json .txt. */
extern const struct kt_output_format kt_table_formats[];

/* The -o options of a command line. */
struct kt_outputs {
	char **paths; /* Owned by this; its strings are argv's */
	size_t n;
	size_t capacity;
};

/* KT_E_USAGE, saying what can be written, if that is none of the formats. */
int kt_outputs_add(struct kt_outputs *outputs, const char *path,
		   const struct kt_output_kind *kind);

void kt_outputs_clear(struct kt_outputs *outputs);

/*
 * Writes a result to each path, or in its first format to standard output if there is none
 * (for "-" as well). All files are made before the first is put in its place.
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

/* Machines (struct kt_fsm): .dot .svg .png .pdf .json .tsv .gv .graphml. */
extern const struct kt_output_kind kt_output_machine;

#endif
