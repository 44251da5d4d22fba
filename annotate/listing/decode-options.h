/* SPDX-License-Identifier: MIT */
/* The command line of ktail decode. */
#ifndef KTAIL_ANNOTATE_DECODE_OPTIONS_H
#define KTAIL_ANNOTATE_DECODE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "annotate/events/selection.h"
#include "infer/words/split/collect.h"

struct kt_decode_options {
	struct kt_selection selection;
	const char *output; /* Weak: "-" is standard output */
	enum kt_source source;
	bool has_source;
	bool json;
	bool stats;
	bool ioctls;
	bool brief;
	bool qmd;
	bool sass;
	bool strict;
	bool help;
	bool version;
};

/* Operands are moved to the front of argv. KT_E_USAGE with a message. */
int kt_decode_options_parse(struct kt_decode_options *out, int argc, char **argv,
			    int *n_operands);

void kt_decode_options_help(FILE *out);

#endif
