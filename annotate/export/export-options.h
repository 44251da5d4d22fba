/* SPDX-License-Identifier: MIT */
/* The command line of ktail export. */
#ifndef KTAIL_ANNOTATE_EXPORT_OPTIONS_H
#define KTAIL_ANNOTATE_EXPORT_OPTIONS_H

#include <stdbool.h>

#include "base/option-table.h"
#include "infer/files/output.h"
#include "infer/words/alphabet/letter-filter.h"
#include "infer/words/split/collect.h"
#include "infer/words/split/trace-filter.h"

/* What the widths of a flame graph mean. */
enum kt_export_weight {
	KT_WEIGHT_TIME,      /* ns */
	KT_WEIGHT_DOORBELLS, /* number of doorbells */
	KT_WEIGHT_BYTES,     /* bytes of commands */
};

#define KT_WEIGHT_NAMES "time", "doorbells", "bytes"

struct kt_export_options {
	struct kt_asked asked; /* first member, as KT_LAST_ROWS requires */
	enum kt_export_weight weight;
	const char *fsm;      /* Weak: file of a machine; NULL: none */
	const char *alphabet; /* Weak */
	const char *word;     /* Weak: "process", "thread" or "channel" */
	bool with_data;
	bool strict;
	enum kt_source source;
	struct kt_letter_filter filter; /* Owned by this */
	struct kt_trace_filter part;    /* Owned by this */
	struct kt_outputs outputs;
};

extern const struct kt_command_line kt_export_command;

/* The formats of an export (struct kt_export). */
extern const struct kt_output_kind kt_export_output;

/*
 * Parses the command line, and moves the operands to the front of argv. KT_E_USAGE,
 * KT_E_IO, KT_E_MEMORY. The caller frees what *out owns with kt_export_options_clear(),
 * also on failure.
 */
int kt_export_options_parse(struct kt_export_options *out, int argc, char **argv,
			    int *n_operands);
void kt_export_options_clear(struct kt_export_options *options);

#endif
