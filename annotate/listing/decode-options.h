/* SPDX-License-Identifier: MIT */
/* The command line of ktail decode. */
#ifndef KTAIL_ANNOTATE_DECODE_OPTIONS_H
#define KTAIL_ANNOTATE_DECODE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate/listing/select.h"
#include "base/option-table.h"
#include "infer/words/split/collect.h"

#define KT_ALL_DATA UINT32_MAX

struct kt_decode_options {
	struct kt_asked asked; /* first member, as KT_LAST_ROWS requires */
	struct kt_selection selection;
	const char *output;      /* Weak: argument of -o; "-": standard output; NULL: not given */
	const char *format;      /* Weak: argument of -f; NULL: not given */
	const char *source_name; /* Weak: argument of --source; NULL: not given */
	enum kt_source source;
	const char *nvdisasm; /* Weak: argument of --nvdisasm; NULL: not given */
	bool json;
	bool stats;
	bool ioctls;
	bool brief;
	bool qmd;
	bool raw;
	unsigned long data; /* argument of --data; KT_ALL_DATA: not given */
	bool times;
	bool sass;
	bool strict;
};

/*
 * Parses argv and moves the operands to argv[0..*n_operands). KT_E_USAGE, KT_E_MEMORY, or
 * KT_E_IO if the folder of the output does not exist, with a message. The caller frees
 * out->selection.part with kt_trace_filter_clear().
 */
int kt_decode_options_parse(struct kt_decode_options *out, int argc, char **argv,
			    int *n_operands);

extern const struct kt_command_line kt_decode_command;

#endif
