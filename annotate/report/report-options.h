/* SPDX-License-Identifier: MIT */
/* The command line of ktail report. */
#ifndef KTAIL_ANNOTATE_REPORT_OPTIONS_H
#define KTAIL_ANNOTATE_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/option-table.h"
#include "infer/files/output.h"
#include "infer/words/alphabet/letter-filter.h"
#include "infer/words/split/collect.h"
#include "infer/words/split/trace-filter.h"

/* Paths of one side, as the command line gives them. */
struct kt_report_paths {
	char **paths; /* Owned by this; the strings are argv's */
	size_t n;
	size_t capacity;
};

struct kt_report_options {
	struct kt_asked asked; /* first member, as KT_LAST_ROWS requires */
	const char *title;     /* Weak; NULL: the names of the traces */
	const char *alphabet;  /* Weak */
	const char *word;      /* Weak: "process", "thread" or "channel" */
	bool has_k;
	unsigned long k;      /* of the machine that is shown first, if has_k */
	unsigned long events; /* maximum number in the file; 0: all */
	bool with_data;
	bool strict;
	enum kt_source source;
	enum kt_names names;
	struct kt_letter_filter filter;    /* Owned by this */
	struct kt_trace_filter part;       /* Owned by this */
	struct kt_report_paths origins[2]; /* arguments of --old and of --new */
	struct kt_outputs outputs;
};

extern const struct kt_command_line kt_report_command;

/* The formats of a report (struct kt_report): .html and .json. */
extern const struct kt_output_kind kt_report_output;

/*
 * Parses the command line, and moves the operands to the front of argv. KT_E_USAGE,
 * KT_E_IO, KT_E_MEMORY. The caller frees what *out owns with kt_report_options_clear(),
 * also on failure.
 */
int kt_report_options_parse(struct kt_report_options *out, int argc, char **argv,
			    int *n_operands);
void kt_report_options_clear(struct kt_report_options *options);

#endif
