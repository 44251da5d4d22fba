/* SPDX-License-Identifier: MIT */
/* Results of ktail stats and their writers. */
#ifndef KTAIL_ANNOTATE_STATS_REPORT_H
#define KTAIL_ANNOTATE_STATS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "annotate/events/given-up-rows.h"
#include "annotate/stats/compare-versions.h"
#include "annotate/stats/launch-cost.h"
#include "annotate/stats/stats-options.h"
#include "base/table-view.h"
#include "base/table.h"
#include "base/versions.h"

struct kt_stats_report {
	const struct kt_stats_options *options; /* Weak */
	char **traces;                          /* Weak: paths of the traces */
	size_t n_traces;
	struct kt_table table;       /* Owned by this: all columns */
	struct kt_table_view view;   /* Owned by this: --columns, --sort */
	struct kt_versions recorded; /* Owned by this: modes of the recorder */
	struct kt_launch_fit fit;    /* only for KT_STATS_FIT */
	/* Owned by this: only for KT_STATS_VERSIONS */
	struct kt_compared_versions versions;
	struct kt_given_up_rows given_up; /* Owned by this */
	uint64_t left_out; /* only for KT_STATS_FIT: calls after commands were given up */
	uint64_t calls;   /* number of API calls in all traces */
	uint64_t counted; /* of those that were counted and not traced */
};

/*
 * Writes the report. Text has the traces, the shown columns of the table (for KT_STATS_FIT
 * the fitted line instead) and notes. JSON has all columns: it is an object with "format":
 * "ktail-stats/1". CSV and TSV have only the table of shown columns. `width` is as in
 * kt_table_print_text(). KT_E_IO, KT_E_MEMORY.
 */
int kt_stats_write(FILE *out, const struct kt_stats_report *report, enum kt_stats_form form,
		   size_t width);

#endif
