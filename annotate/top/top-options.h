/* SPDX-License-Identifier: MIT */
/* The command line of ktail top. */
#ifndef KTAIL_ANNOTATE_TOP_OPTIONS_H
#define KTAIL_ANNOTATE_TOP_OPTIONS_H

#include <stdbool.h>

#include "annotate/top/rates.h"
#include "base/option-table.h"
#include "base/table-view.h"
#include "infer/words/split/collect.h"
#include "infer/words/split/trace-filter.h"

struct kt_top_options {
	struct kt_asked asked; /* first member, as KT_LAST_ROWS requires */
	enum kt_rates_by by;
	const char *columns; /* Weak; NULL: not given, as is `sort` */
	const char *sort;
	struct kt_table_view view; /* Owned by this: of `columns` and `sort` */
	bool batch;                /* tables follow each other, also on a terminal */
	unsigned long count;       /* number of tables; 0: no limit */
	enum kt_source source;
	struct kt_trace_filter part; /* Owned by this */
};

extern const struct kt_command_line kt_top_command;

/*
 * Parses the command line, and moves the operands to the front of argv. KT_E_USAGE,
 * KT_E_MEMORY. The caller frees what *out owns with kt_top_options_clear(), also on
 * failure.
 */
int kt_top_options_parse(struct kt_top_options *out, int argc, char **argv,
			 int *n_operands);
void kt_top_options_clear(struct kt_top_options *options);

#endif
