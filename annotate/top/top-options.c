/* SPDX-License-Identifier: MIT */
#include "annotate/top/top-options.h"

#include <ktail/status.h>

#include "base/try.h"

/* Columns that completion proposes for --columns and --sort. */
#define COLUMN_NAMES                                                                       \
	"call", "channel", "class", "events", "calls", "mean", "doorbells", "bytes",       \
		"ioctls", "launches", "copies"

static const struct kt_option table[] = {
	{"by", 0, "UNIT", "one row per API call (default), channel or class",
	 KT_ENUM(struct kt_top_options, by, "call", "channel", "class")},
	{"sort", 0, "NAME,...",
	 "sort by these columns: numbers from the largest on, names from A on; -NAME: "
	 "reversed; default: events",
	 KT_TEXT(struct kt_top_options, sort), KT_PROPOSE(COLUMN_NAMES)},
	{"columns", 0, "NAME,...", "only these columns, in this order",
	 KT_TEXT(struct kt_top_options, columns), KT_PROPOSE(COLUMN_NAMES)},
	{"count", 'n', "N", "end after N tables",
	 KT_NUMBER(struct kt_top_options, count, 1, 1000000000)},
	{"batch", 'b', NULL,
	 "tables follow each other; default where output is not a terminal",
	 KT_FLAG(struct kt_top_options, batch)},
	{"process", 'p', "NAME|PID,...", "only these processes",
	 KT_TEXT(struct kt_top_options, part.process)},
	{"thread", 0, "TID,...", "only these threads",
	 KT_TEXT(struct kt_top_options, part.thread)},
	{"source", 0, "SIDE",
	 "which events to use of a process recorded in user space and kernel: user "
	 "(default) or kernel",
	 KT_ENUM(struct kt_top_options, source, KT_SOURCE_NAMES)},
	KT_LAST_ROWS,
};

const struct kt_command_line kt_top_command = {
	.usage = "ktail top [OPTION]... URL|TRACE",
	.summary = "Show what happens each second in a session that is being recorded.",
	.table = table,
};

int kt_top_options_parse(struct kt_top_options *out, int argc, char **argv, int *n_operands)
{
	struct kt_table head;

	*out = (struct kt_top_options){.batch = false};
	KT_TRY(kt_options_parse(&kt_top_command, argc, argv, out, n_operands));
	if (kt_asked_any(&out->asked)) {
		return KT_OK;
	}
	if (*n_operands != 1) {
		return kt_error(KT_E_USAGE,
				*n_operands == 0 ? "no session or trace given; see ktail "
						   "top --help"
						 : "%s: only one session or trace is read",
				argv[1]);
	}
	head = kt_rates_head(out->by);
	KT_TRY(kt_table_view_parse(&out->view, &head, out->columns,
				   out->sort ? out->sort : "events"));
	return kt_trace_filter_settle(&out->part);
}

void kt_top_options_clear(struct kt_top_options *options)
{
	kt_table_view_free(&options->view);
	kt_trace_filter_clear(&options->part);
}
