/* SPDX-License-Identifier: MIT */
/*
 * Writes results to files; the ending of a file's name selects the format. Each kind of
 * result has a table of its formats.
 */
#ifndef KTAIL_OUTPUT_H
#define KTAIL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include <ktail/fsm.h>

#include "base/table.h"

/* Writes a result; returns 0 or a status. */
typedef int (*kt_output_fn)(FILE *out, const void *result);

struct kt_output_format {
	const char *ending; /* ".json"; NULL ends the table */
	const char *render; /* the format to request from ktail-render; NULL: use `write` */
	kt_output_fn write;
};

struct kt_output_kind {
	const char *what; /* name of the result in messages: "machine" */
	const struct kt_output_format *formats; /* the first is the default for standard
						 * output */
	/* writes the JSON that ktail-render reads; NULL if no format has `render` */
	kt_output_fn json;
	/* if not NULL, makes the table that every format prints */
	kt_table_make_fn *table;
};

/* Formats for kinds that have `table`: .tsv .csv .json .txt. */
extern const struct kt_output_format kt_table_formats[];

/* The options -o and -f of a command line. */
struct kt_outputs {
	char **paths; /* Owned by this; its strings are argv's */
	size_t n;
	size_t capacity;
	const char *format; /* Weak: the value of -f; NULL: endings decide */
	/*
	 * Set by a caller that removes standard output from `paths` to write it itself:
	 * formats are then still chosen as if standard output were among the paths.
	 */
	bool had_standard;
};

/* Adds the value of an option -o. */
int kt_outputs_add(struct kt_outputs *outputs, const char *path);

/*
 * Checks the paths; call it before anything is read. KT_E_USAGE, with a list of the
 * formats, if -f is invalid or neither -f nor a path's ending names a format; KT_E_IO if
 * the folder of a path does not exist.
 */
int kt_outputs_check(const struct kt_outputs *outputs, const struct kt_output_kind *kind);

/*
 * Returns whether the result goes to standard output: "-" is a path, or there are no paths.
 */
bool kt_outputs_have_standard(const struct kt_outputs *outputs);

/*
 * Returns whether an output has the format with this name, such as "json".
 * kt_outputs_check() must have succeeded.
 */
bool kt_outputs_have_format(const struct kt_outputs *outputs,
			    const struct kt_output_kind *kind, const char *name);

void kt_outputs_clear(struct kt_outputs *outputs);

/*
 * Writes a result in another format by converting its TSV: a table whose first line has the
 * heads of the columns. `numbers` is a NULL-terminated list of the heads of columns of
 * whole numbers, in which "" and "-" are missing numbers; NULL if there are no such
 * columns.
 */
int kt_output_convert_tsv(FILE *out, const void *result, kt_output_fn tsv,
			  kt_table_print_fn *print, const char *const *numbers);

/*
 * Writes a result to each path, or to standard output if there is none. All files are
 * written before the first is renamed into place.
 */
int kt_outputs_write(const struct kt_outputs *outputs, const void *result,
		     const struct kt_output_kind *kind);

/* Some of the outputs of a command line, and the result for them. */
struct kt_output_group {
	const struct kt_outputs *outputs; /* Weak */
	const void *result;               /* Weak */
	const struct kt_output_kind *kind;
};

/*
 * Writes each group's result to each of its paths, if any. All files of all groups are
 * written before the first is renamed into place, in order of the groups.
 */
int kt_outputs_write_groups(const struct kt_output_group *groups, size_t n_groups);

/* Machines (struct kt_fsm): .dot .svg .png .pdf .json .txt .tsv .csv .gv .graphml. */
extern const struct kt_output_kind kt_output_machine;

/* Writes a machine's transitions as a table: from, letter, to, count. */
int kt_output_machine_tsv(FILE *out, const void *fsm);

/* Writes a machine's size, and what it was inferred from, in a few lines of text. */
int kt_output_machine_summary(FILE *out, const void *fsm);

#endif
