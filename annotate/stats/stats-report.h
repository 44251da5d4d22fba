/* SPDX-License-Identifier: MIT */
/* Results of ktail stats and their writers. */
#ifndef KTAIL_ANNOTATE_STATS_REPORT_H
#define KTAIL_ANNOTATE_STATS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "annotate/stats/compare-versions.h"
#include "annotate/stats/launch-cost.h"
#include "annotate/stats/stats-options.h"
#include "base/table.h"

struct kt_stats_report {
	const struct kt_stats_options *options; /* Weak */
	char **traces;                          /* Weak: paths of the traces */
	size_t n_traces;
	struct kt_table table;                /* Owned by this */
	struct kt_launch_fit fit;             /* only for KT_STATS_FIT */
	struct kt_compared_versions versions; /* Owned by this: only for KT_STATS_VERSIONS */
	uint64_t calls;                       /* number of API calls in all traces */
};

/*
 * Writes the report. Text has the traces, the table (for KT_STATS_FIT the fitted line
 * instead) and notes. JSON is an object with "format": "ktail-stats/1". CSV and TSV have
 * only the table. `width` is as in kt_table_print_text(). KT_E_IO, KT_E_MEMORY.
 */
int kt_stats_write(FILE *out, const struct kt_stats_report *report, enum kt_stats_form form,
		   size_t width);

#endif
