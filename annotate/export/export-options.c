/* SPDX-License-Identifier: MIT */
#include "annotate/export/export-options.h"

#include <string.h>

#include <ktail/status.h>

#include "annotate/export/export.h"
#include "base/try.h"
#include "infer/words/alphabet/alphabet.h"

static const struct kt_output_format formats[] = {
	{".folded", NULL, kt_export_write_folded},
	{".speedscope", NULL, kt_export_write_speedscope},
	{".chrome", NULL, kt_export_write_chrome},
	{".perfetto", NULL, kt_export_write_perfetto},
#ifdef KTAIL_WITH_SQLITE
	{".sqlite", NULL, kt_export_write_sqlite},
#endif
	{".xes", NULL, kt_export_write_xes},
	{".ocel", NULL, kt_export_write_ocel},
	{NULL, NULL, NULL},
};

const struct kt_output_kind kt_export_output = {
	.what = "export",
	.formats = formats,
};

static int add_output(void *context, const char *value)
{
	return kt_outputs_add(&((struct kt_export_options *)context)->outputs, value);
}

static int add_runs(void *context, const char *value)
{
	return kt_letter_list_add(&((struct kt_export_options *)context)->filter.runs,
				  value);
}

static int add_without(void *context, const char *value)
{
	return kt_letter_list_add(&((struct kt_export_options *)context)->filter.without,
				  value);
}

static const struct kt_option table[] = {
	{"output", 'o', "FILE",
	 "output: .folded .speedscope .chrome .perfetto; may be repeated; default: "
	 "standard "
	 "output",
	 KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: folded)",
	 KT_TEXT(struct kt_export_options, outputs.format),
	 KT_PROPOSE("folded", "speedscope", "chrome", "perfetto", "sqlite", "xes", "ocel")},
	{"weight", 0, "WHAT",
	 "with folded: what widths mean: time in ns (default), doorbells, or bytes of "
	 "commands",
	 KT_ENUM(struct kt_export_options, weight, KT_WEIGHT_NAMES)},
	{"fsm", 0, "FILE", "with sqlite: a machine, whose states the words visit",
	 KT_TEXT(struct kt_export_options, fsm)},
	{"alphabet", 'a', "NAME|FILE",
	 "with xes: alphabet: table1 (default), atc13, roles, rm, api, calls, submission, "
	 "methods, or a file",
	 KT_TEXT(struct kt_export_options, alphabet), KT_PROPOSE(KT_ALPHABET_NAMES)},
	{"word", 'w', "UNIT",
	 "with xes: unit of words: process (default), thread or channel",
	 KT_CHOICE(struct kt_export_options, word, KT_WORD_UNIT_NAMES)},
	{"runs", 'r', "LETTER",
	 "with xes: a run of this letter counts as one; may be repeated", KT_SET(add_runs)},
	{"without", 'x', "LETTER", "with xes: leave this letter out; may be repeated",
	 KT_SET(add_without)},
	{"with-data", 0, NULL,
	 "with chrome, perfetto or sqlite: include submitted commands, with the data in "
	 "them",
	 KT_FLAG(struct kt_export_options, with_data)},
	KT_TRACE_FILTER_ROWS(struct kt_export_options, part),
	KT_TRACE_FILTER_CALL_ROWS(struct kt_export_options, part),
	{"source", 0, "SIDE",
	 "which events to use of a process recorded in user space and kernel: user "
	 "(default) or kernel",
	 KT_ENUM(struct kt_export_options, source, KT_SOURCE_NAMES)},
	{"strict", 's', NULL, "fail where events are missing",
	 KT_FLAG(struct kt_export_options, strict)},
	KT_LAST_ROWS,
};

static bool given[sizeof(table) / sizeof(table[0])];

/* Each option changes only its formats, so it is refused if no output has such a format. */
static const struct {
	const char *option;
	const char *formats[4]; /* ends with NULL */
	const char *needs;
} limited[] = {
	{"weight", {"folded"}, "the format folded"},
	{"fsm", {"sqlite"}, "the format sqlite"},
	{"alphabet", {"xes"}, "the format xes"},
	{"word", {"xes"}, "the format xes"},
	{"runs", {"xes"}, "the format xes"},
	{"without", {"xes"}, "the format xes"},
	{"with-data",
	 {"chrome", "perfetto", "sqlite"},
	 "one of the formats chrome, perfetto and sqlite"},
};

const struct kt_command_line kt_export_command = {
	.given = given,
	.usage = "ktail export [OPTION]... -f FORMAT TRACE... [-o FILE]...",
	.summary =
		"Write traces for other programs: flame graphs and viewers of timelines.",
	.table = table,
};

static bool is_given(const char *option)
{
	for (size_t i = 0; table[i].name; i++) {
		if (given[i] && strcmp(table[i].name, option) == 0) {
			return true;
		}
	}
	return false;
}

/* Refuses options that would change none of the outputs. */
static int check_formats(const struct kt_outputs *outputs)
{
	for (size_t i = 0; i < sizeof(limited) / sizeof(limited[0]); i++) {
		bool have = false;

		for (const char *const *name = limited[i].formats; *name; name++) {
			have = have ||
			       kt_outputs_have_format(outputs, &kt_export_output, *name);
		}
		if (!have && is_given(limited[i].option)) {
			return kt_error(KT_E_USAGE, "--%s needs %s", limited[i].option,
					limited[i].needs);
		}
	}
	return KT_OK;
}

int kt_export_options_parse(struct kt_export_options *out, int argc, char **argv,
			    int *n_operands)
{
	*out = (struct kt_export_options){.alphabet = KT_ALPHABET_DEFAULT,
					  .word = "process"};
	KT_TRY(kt_options_parse(&kt_export_command, argc, argv, out, n_operands));
	if (kt_asked_any(&out->asked)) {
		return KT_OK;
	}
	if (*n_operands == 0) {
		return kt_error(KT_E_USAGE, "no trace given; see ktail export --help");
	}
	KT_TRY(kt_trace_filter_settle(&out->part));
	KT_TRY(kt_outputs_check(&out->outputs, &kt_export_output));
	return check_formats(&out->outputs);
}

void kt_export_options_clear(struct kt_export_options *options)
{
	kt_letter_filter_clear(&options->filter);
	kt_trace_filter_clear(&options->part);
	kt_outputs_clear(&options->outputs);
}
