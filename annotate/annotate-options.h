/* SPDX-License-Identifier: MIT */
/* The command line of ktail annotate. */
#ifndef KTAIL_ANNOTATE_ANNOTATE_OPTIONS_H
#define KTAIL_ANNOTATE_ANNOTATE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "annotate/annotate.h"
#include "base/option-table.h"
#include "infer/files/output.h"
#include "infer/words/alphabet/letter-filter.h"
#include "infer/words/read/trace.h"

/* Largest number of parts that can write a file of their own. */
#define KT_PART_FILES 6

struct kt_annotate_options {
	struct kt_asked asked; /* first member, as KT_LAST_ROWS requires */
	const char *rules;     /* Weak: name of a file; NULL: the built-in rules */
	const char **merges;   /* Owned by this; the strings belong to argv */
	size_t n_merges;
	size_t merges_capacity;
	size_t evidence;
	enum kt_source source;
	struct kt_letter_filter filter; /* Owned by this */
	struct kt_trace_filter part;    /* Owned by this */
	bool strict;
	enum kt_names names;
	struct kt_outputs outputs; /* of the machine and the report */
	/*
	 * Outputs of the parts that can write a file, in the order of
	 * kt_annotation_parts.
	 */
	struct kt_outputs part_outputs[KT_PART_FILES];
	size_t part_of[KT_PART_FILES]; /* indices in kt_annotation_parts */
	size_t n_part_files;
};

/* Writes a struct kt_annotate as .json, .txt, a drawing (.dot .svg .png .pdf), .gv, ... */
extern const struct kt_output_kind kt_annotate_output;

/* The rows of parts are missing until kt_annotate_options_parse() has added them. */
extern const struct kt_command_line kt_annotate_command;

/*
 * Parses the command line. KT_E_USAGE, KT_E_IO, KT_E_MEMORY. The caller frees what *out
 * owns with kt_annotate_options_clear(), also on failure.
 */
int kt_annotate_options_parse(struct kt_annotate_options *out, int argc, char **argv,
			      int *n_operands);
void kt_annotate_options_clear(struct kt_annotate_options *options);

#endif
