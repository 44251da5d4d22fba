/* SPDX-License-Identifier: MIT */
#include "annotate/report/report-options.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/report/report.h"
#include "annotate/report/write-report.h"
#include "base/array.h"
#include "base/terminal.h"
#include "base/try.h"
#include "infer/words/alphabet/alphabet.h"

static const struct kt_output_format formats[] = {
	{".html", NULL, kt_report_write_html},
	{".json", NULL, kt_report_write_json},
	{NULL, NULL, NULL},
};

const struct kt_output_kind kt_report_output = {
	.what = "report",
	.formats = formats,
};

static int set_k(void *context, const char *value)
{
	struct kt_report_options *o = context;

	if (strcmp(value, "auto") == 0) {
		o->has_k = false;
		return KT_OK;
	}
	o->has_k = true;
	return kt_parse_number(&o->k, value, 0, INT64_MAX, "--k");
}

static int add_path(struct kt_report_paths *paths, const char *value)
{
	KT_TRY(kt_array_reserve(&paths->paths, &paths->capacity, paths->n + 1));
	paths->paths[paths->n++] = (char *)(uintptr_t)value;
	return KT_OK;
}

static int add_old(void *context, const char *value)
{
	return add_path(&((struct kt_report_options *)context)->origins[0], value);
}

static int add_new(void *context, const char *value)
{
	return add_path(&((struct kt_report_options *)context)->origins[1], value);
}

static int add_runs(void *context, const char *value)
{
	return kt_letter_list_add(&((struct kt_report_options *)context)->filter.runs,
				  value);
}

static int add_without(void *context, const char *value)
{
	return kt_letter_list_add(&((struct kt_report_options *)context)->filter.without,
				  value);
}

static int add_output(void *context, const char *value)
{
	return kt_outputs_add(&((struct kt_report_options *)context)->outputs, value);
}

static const struct kt_option table[] = {
	{"title", 't', "TEXT", "heading of the page",
	 KT_TEXT(struct kt_report_options, title)},
	{"k", 'k', "N|auto", "k of the machine that is shown first (default: auto)",
	 KT_SET(set_k), KT_PROPOSE("auto")},
	{"old", 0, "TRACE", "a trace of the old of two sides; may be repeated",
	 KT_SET(add_old)},
	{"new", 0, "TRACE", "with --old: a trace of the new side; may be repeated",
	 KT_SET(add_new)},
	{"events", 0, "N",
	 "at most N events, the first of each trace; 0: all (default: 200000)",
	 KT_NUMBER(struct kt_report_options, events, 0, INT64_MAX)},
	{"with-data", 0, NULL,
	 "include submitted commands, command lines, environment and paths",
	 KT_FLAG(struct kt_report_options, with_data)},
	{"alphabet", 'a', "NAME|FILE",
	 "alphabet: table1 (default), atc13, roles, rm, api, calls, submission, methods, "
	 "or "
	 "a file",
	 KT_TEXT(struct kt_report_options, alphabet), KT_PROPOSE(KT_ALPHABET_NAMES)},
	{"word", 'w', "UNIT", "unit of words: process (default), thread or channel",
	 KT_CHOICE(struct kt_report_options, word, KT_WORD_UNIT_NAMES)},
	{"runs", 'r', "LETTER", "a run of this letter counts as one; may be repeated",
	 KT_SET(add_runs)},
	{"without", 'x', "LETTER", "leave this letter out; may be repeated",
	 KT_SET(add_without)},
	KT_TRACE_FILTER_ROWS(struct kt_report_options, part),
	KT_TRACE_FILTER_CALL_ROWS(struct kt_report_options, part),
	{"source", 0, "SIDE",
	 "which events to use of a process recorded in user space and kernel: user "
	 "(default) or kernel",
	 KT_ENUM(struct kt_report_options, source, KT_SOURCE_NAMES)},
	{"strict", 's', NULL, "fail where events or words are missing",
	 KT_FLAG(struct kt_report_options, strict)},
	{"output", 'o', "FILE",
	 "output: .html .json; may be repeated; default: standard output",
	 KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: html)",
	 KT_TEXT(struct kt_report_options, outputs.format)},
	KT_NAMES_ROW(struct kt_report_options, names),
	KT_LAST_ROWS,
};

const struct kt_command_line kt_report_command = {
	.usage = "ktail report [OPTION]... TRACE... [-o FILE]...\n"
		 "       ktail report [OPTION]... --old TRACE... --new TRACE... [-o "
		 "FILE]...",
	.summary = "Write a page for a browser that shows traces: machine, timeline, "
		   "tables, and "
		   "where time\ngoes; with two sides, what differs. One file, which loads "
		   "nothing.",
	.table = table,
};

int kt_report_options_parse(struct kt_report_options *out, int argc, char **argv,
			    int *n_operands)
{
	*out = (struct kt_report_options){.alphabet = KT_ALPHABET_DEFAULT,
					  .word = "process",
					  .events = KT_REPORT_EVENTS};
	KT_TRY(kt_options_parse(&kt_report_command, argc, argv, out, n_operands));
	if (kt_asked_any(&out->asked)) {
		return KT_OK;
	}
	if ((out->origins[0].n == 0) != (out->origins[1].n == 0)) {
		return kt_error(KT_E_USAGE, "--old and --new need each other");
	}
	if (out->origins[0].n > 0 && *n_operands > 0) {
		return kt_error(KT_E_USAGE, "%s: give each trace after --old or --new",
				argv[0]);
	}
	if (out->origins[0].n == 0 && *n_operands == 0) {
		return kt_error(KT_E_USAGE, "no trace given; see ktail report --help");
	}
	KT_TRY(kt_trace_filter_settle(&out->part));
	if (out->origins[0].n > 0 && out->part.any) {
		return kt_error(KT_E_USAGE, "%s does not go with --old and --new",
				kt_trace_filter_option(&out->part));
	}
	return kt_outputs_check(&out->outputs, &kt_report_output);
}

void kt_report_options_clear(struct kt_report_options *options)
{
	kt_letter_filter_clear(&options->filter);
	kt_trace_filter_clear(&options->part);
	kt_outputs_clear(&options->outputs);
	free(options->origins[0].paths);
	free(options->origins[1].paths);
}
