/* SPDX-License-Identifier: MIT */
/* The command line of ktail stats. */
#ifndef KTAIL_ANNOTATE_STATS_OPTIONS_H
#define KTAIL_ANNOTATE_STATS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/option-table.h"
#include "infer/words/split/collect.h"
#include "infer/words/split/trace-filter.h"

enum kt_stats_what {
	KT_STATS_CALLS, /* counts by function of the API */
	KT_STATS_CHANNELS,
	KT_STATS_CONTEXTS,
	KT_STATS_CLASSES,
	KT_STATS_EACH, /* counts by call; last value with --columns and --sort */
	KT_STATS_COVERAGE,
	KT_STATS_FIT,      /* bytes against time for calls of one kind */
	KT_STATS_VERSIONS, /* compare what calls did in two versions: --old, --new */
};

enum kt_stats_form {
	KT_STATS_TEXT,
	KT_STATS_JSON,
	KT_STATS_CSV,
	KT_STATS_TSV,
};

struct kt_stats_output {
	const char *path; /* Weak; "-" is standard output */
	enum kt_stats_form form;
};

#define KT_STATS_OUTPUTS 16 /* maximum number of outputs */

struct kt_stats_paths {
	char **paths;
	size_t n;
	size_t capacity;
};

struct kt_stats_options {
	struct kt_asked asked; /* first member, as KT_LAST_ROWS requires */
	enum kt_stats_what what;
	bool has_what;
	bool outer;
	const char *fit; /* Weak: argument of --fit, a kind of calls; NULL: not given */
	bool robust;
	/*
	 * Arguments of --old ([0]) and --new ([1]). The arrays are owned by this struct;
	 * the strings belong to argv.
	 */
	struct kt_stats_paths versions[2];
	bool wide;
	const char *columns; /* Weak: argument of --columns; NULL: not given */
	const char *sort;    /* Weak: argument of --sort; NULL: not given */
	const char *format;  /* Weak: argument of -f; NULL: not given */
	struct kt_stats_output outputs[KT_STATS_OUTPUTS];
	size_t n_outputs; /* at least one after parsing */
	enum kt_source source;
	struct kt_trace_filter part; /* Owned by this; freed with kt_trace_filter_clear() */
	bool strict;
};

/*
 * Parses the command line, and moves the operands to the front of argv. Errors, each with
 * a message: KT_E_USAGE, KT_E_MEMORY, or KT_E_IO if the folder of an output does not
 * exist. The caller frees *out with kt_stats_options_clear(), also on failure.
 */
int kt_stats_options_parse(struct kt_stats_options *out, int argc, char **argv,
			   int *n_operands);

void kt_stats_options_clear(struct kt_stats_options *options);

extern const struct kt_command_line kt_stats_command;

#endif
