/* SPDX-License-Identifier: MIT */
#include "annotate/stats/stats-options.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/stats/launch-cost.h"
#include "base/array.h"
#include "base/output-format.h"
#include "base/terminal.h"
#include "base/try.h"

/* Arguments of --by: the names of the first values of enum kt_stats_what, in this order. */
#define BY_NAMES "call", "channel", "context", "class"

/* Columns that completion proposes for --columns and --sort. */
#define COLUMN_NAMES                                                                       \
	"call", "calls", "time", "self", "share", "mean", "median", "p99", "min", "max",   \
		"ioctls", "doorbells", "bytes", "launches", "device_time"

/* In the order of enum kt_stats_form. */
static const char *const forms[] = {"txt", "json", "csv", "tsv"};

static int set_what(struct kt_stats_options *o, enum kt_stats_what what)
{
	if (o->has_what) {
		return kt_error(KT_E_USAGE,
				"--by, --each, --coverage, --fit and --old exclude "
				"each other, and each of the first four may be "
				"given once");
	}
	o->has_what = true;
	o->what = what;
	return KT_OK;
}

static int set_by(void *context, const char *value)
{
	/* Indexes are values of enum kt_stats_what. */
	static const char *const names[] = {BY_NAMES, NULL};
	int by;

	KT_TRY(kt_parse_enum(&by, value, names, "--by"));
	return set_what(context, (enum kt_stats_what)by);
}

static int set_each(void *context, const char *value)
{
	(void)value;
	return set_what(context, KT_STATS_EACH);
}

static int set_coverage(void *context, const char *value)
{
	(void)value;
	return set_what(context, KT_STATS_COVERAGE);
}

static int set_fit(void *context, const char *value)
{
	((struct kt_stats_options *)context)->fit = value;
	if (!kt_launch_cost_has_kind(value)) {
		return kt_error(KT_E_USAGE,
				"--fit must be a kind of calls, such as "
				"launch, graph-launch, copy or fill, not '%s'",
				value);
	}
	return set_what(context, KT_STATS_FIT);
}

static int add_version(struct kt_stats_options *o, int version, const char *value)
{
	struct kt_stats_paths *paths = &o->versions[version];
	union {
		const char *read_only;
		char *text;
	} kept = {.read_only = value};

	if (o->what != KT_STATS_VERSIONS) {
		KT_TRY(set_what(o, KT_STATS_VERSIONS));
	}
	KT_TRY(kt_array_reserve(&paths->paths, &paths->capacity, paths->n + 1));
	paths->paths[paths->n++] = kept.text;
	return KT_OK;
}

static int add_old(void *context, const char *value)
{
	return add_version(context, 0, value);
}

static int add_new(void *context, const char *value)
{
	return add_version(context, 1, value);
}

static int add_output(void *context, const char *value)
{
	struct kt_stats_options *o = context;

	if (o->n_outputs == KT_STATS_OUTPUTS) {
		return kt_error(KT_E_USAGE, "--output is given more than %d times",
				KT_STATS_OUTPUTS);
	}
	o->outputs[o->n_outputs++].path = value;
	return KT_OK;
}

static const struct kt_option table[] = {
	{"by", 0, "UNIT", "one row per API call (default), channel, context or class",
	 KT_SET(set_by), KT_PROPOSE(BY_NAMES)},
	{"each", 0, NULL, "one row per single call, in order of time", KT_SET(set_each)},
	{"outer", 0, NULL, "count what nested calls do for the outermost call",
	 KT_FLAG(struct kt_stats_options, outer)},
	{"coverage", 0, NULL,
	 "instead: the entry points of the API whose calls the recorder intercepted",
	 KT_SET(set_coverage)},
	{"fit", 0, "KIND",
	 "instead: fit the time of a kind of calls to their bytes of commands: launch, "
	 "graph-launch, copy, ...",
	 KT_SET(set_fit), KT_PROPOSE("launch", "graph-launch", "copy", "fill")},
	{"robust", 0, NULL, "with --fit: use the median of slopes, not least squares",
	 KT_FLAG(struct kt_stats_options, robust)},
	{"old", 0, "TRACE",
	 "instead: compare what each call did in recordings of two versions; may be "
	 "repeated",
	 KT_SET(add_old)},
	{"new", 0, "TRACE", "with --old: a recording of the other side; may be repeated",
	 KT_SET(add_new)},
	{"wide", 0, NULL, "all columns in text output, however wide",
	 KT_FLAG(struct kt_stats_options, wide)},
	{"columns", 0, "NAME,...",
	 "only these columns, in this order, in text, CSV and TSV; the manual has the "
	 "names",
	 KT_TEXT(struct kt_stats_options, columns), KT_PROPOSE(COLUMN_NAMES)},
	{"sort", 0, "NAME,...",
	 "sort by these columns: numbers from the largest on, names from A on; -NAME: "
	 "reversed",
	 KT_TEXT(struct kt_stats_options, sort), KT_PROPOSE(COLUMN_NAMES)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: txt)",
	 KT_TEXT(struct kt_stats_options, format)},
	KT_TRACE_FILTER_ROWS(struct kt_stats_options, part),
	KT_TRACE_FILTER_CALL_ROWS(struct kt_stats_options, part),
	{"source", 0, "SIDE",
	 "which events to use of a process recorded in user space and kernel: user "
	 "(default) or kernel",
	 KT_ENUM(struct kt_stats_options, source, KT_SOURCE_NAMES)},
	{"strict", 's', NULL, "fail where events or words are missing",
	 KT_FLAG(struct kt_stats_options, strict)},
	{"output", 'o', "FILE",
	 "output: .txt .json .csv .tsv; may be repeated; default: standard output",
	 KT_SET(add_output)},
	KT_COLOR_ROW,
	KT_LAST_ROWS,
};

const struct kt_command_line kt_stats_command = {
	.usage = "ktail stats [OPTION]... TRACE... [-o FILE]...\n"
		 "       ktail stats --by channel|context|class [OPTION]... TRACE...\n"
		 "       ktail stats --each [OPTION]... TRACE...\n"
		 "       ktail stats --fit KIND [--robust] [OPTION]... TRACE...\n"
		 "       ktail stats --coverage [OPTION]... TRACE...\n"
		 "       ktail stats --old TRACE... --new TRACE... [OPTION]...",
	.summary = "Count what each call of CUDA, OpenCL, Vulkan, OpenGL or EGL did: time, "
		   "ioctls,\ndoorbells, bytes of commands, copies, launches.",
	.table = table,
};

static bool is_of_calls(enum kt_stats_what what)
{
	return what == KT_STATS_CALLS || what == KT_STATS_EACH || what == KT_STATS_FIT ||
	       what == KT_STATS_VERSIONS;
}

int kt_stats_options_parse(struct kt_stats_options *out, int argc, char **argv,
			   int *n_operands)
{
	bool among = false; /* one of the outputs is standard output */

	*out = (struct kt_stats_options){0};
	KT_TRY(kt_options_parse(&kt_stats_command, argc, argv, out, n_operands));
	/* Reject options that would have no effect. */
	if (out->what == KT_STATS_VERSIONS &&
	    (out->versions[0].n == 0 || out->versions[1].n == 0)) {
		return kt_error(KT_E_USAGE, "--old and --new need each other");
	}
	if (out->what == KT_STATS_VERSIONS && *n_operands > 0) {
		return kt_error(KT_E_USAGE, "%s: give each trace after --old or --new",
				argv[0]);
	}
	if (out->robust && out->what != KT_STATS_FIT) {
		return kt_error(KT_E_USAGE, "--robust needs --fit");
	}
	if (out->outer && !is_of_calls(out->what)) {
		return kt_error(KT_E_USAGE, "--outer applies only to calls");
	}
	if (out->part.channel && out->what != KT_STATS_CHANNELS &&
	    out->what != KT_STATS_CONTEXTS && out->what != KT_STATS_CLASSES) {
		return kt_error(KT_E_USAGE,
				"--channel needs --by channel, --by context or --by class");
	}
	if (kt_trace_filter_by_calls(&out->part) && !is_of_calls(out->what)) {
		return kt_error(KT_E_USAGE, "%s does not go with --by or --coverage",
				out->part.call ? "--call" : "--phase");
	}
	if ((out->columns || out->sort) && out->what >= KT_STATS_COVERAGE) {
		return kt_error(KT_E_USAGE,
				"%s does not go with --coverage, --fit or --old",
				out->columns ? "--columns" : "--sort");
	}
	KT_TRY(kt_trace_filter_settle(&out->part));
	if (out->n_outputs == 0) {
		out->outputs[out->n_outputs++].path = "-";
	}
	for (size_t i = 0; i < out->n_outputs; i++) {
		among = among || kt_output_is_standard(out->outputs[i].path);
	}
	for (size_t i = 0; i < out->n_outputs; i++) {
		struct kt_stats_output *output = &out->outputs[i];
		const struct kt_output_request request = {output->path, out->format, among};
		size_t form;

		KT_TRY(kt_output_format(&form, &request, forms,
					sizeof(forms) / sizeof(forms[0])));
		KT_TRY(kt_output_check_folder(output->path));
		output->form = (enum kt_stats_form)form;
		output->path = kt_output_is_standard(output->path) ? "-" : output->path;
	}
	return KT_OK;
}

void kt_stats_options_clear(struct kt_stats_options *options)
{
	kt_trace_filter_clear(&options->part);
	free(options->versions[0].paths);
	free(options->versions[1].paths);
}
