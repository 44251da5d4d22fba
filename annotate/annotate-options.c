/* SPDX-License-Identifier: MIT */
#include "annotate/annotate-options.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/exchange.h>
#include <ktail/status.h>

#include "base/array.h"
#include "base/path-list.h"
#include "base/terminal.h"
#include "base/try.h"

/* Largest N that --evidence N accepts. */
#define MOST_EVIDENCE 1000

/* --- output formats --- */

static int write_json(FILE *out, const void *annotate)
{
	return kt_annotate_write_json(annotate, out);
}

static int write_text(FILE *out, const void *annotate)
{
	return kt_annotate_write_text(annotate, out);
}

/* Writes the transitions of the machine as ktail infer does. */
static int write_tsv(FILE *out, const void *annotate)
{
	return kt_output_machine_tsv(out,
				     ((const struct kt_annotate *)annotate)->input.fsm);
}

static int write_csv(FILE *out, const void *annotate)
{
	return kt_output_convert_tsv(out, annotate, write_tsv, kt_table_print_csv, NULL);
}

static int write_gv(FILE *out, const void *annotate)
{
	return kt_fsm_write_dot(((const struct kt_annotate *)annotate)->input.fsm,
				KT_DOT_KTAIL, out);
}

static int write_graphml(FILE *out, const void *annotate)
{
	return kt_fsm_write_graphml(((const struct kt_annotate *)annotate)->input.fsm, out);
}

static const struct kt_output_format formats[] = {
	{".txt", NULL, write_text}, {".json", NULL, write_json},
	{".dot", "dot", NULL},      {".svg", "svg", NULL},
	{".png", "png", NULL},      {".pdf", "pdf", NULL},
	{".tsv", NULL, write_tsv},  {".csv", NULL, write_csv},
	{".gv", NULL, write_gv},    {".graphml", NULL, write_graphml},
	{NULL, NULL, NULL},
};

const struct kt_output_kind kt_annotate_output = {
	.what = "machine",
	.formats = formats,
	.json = write_json,
};

/* --- options --- */

static int add_runs(void *context, const char *value)
{
	return kt_letter_list_add(&((struct kt_annotate_options *)context)->filter.runs,
				  value);
}

static int add_without(void *context, const char *value)
{
	return kt_letter_list_add(&((struct kt_annotate_options *)context)->filter.without,
				  value);
}

static int set_rules(void *context, const char *value)
{
	struct kt_annotate_options *options = context;

	if (options->rules) {
		return kt_error(KT_E_USAGE, "--rules is given twice");
	}
	options->rules = value;
	return KT_OK;
}

static int add_merge(void *context, const char *value)
{
	struct kt_annotate_options *options = context;

	KT_TRY(kt_array_reserve(&options->merges, &options->merges_capacity,
				options->n_merges + 1));
	options->merges[options->n_merges++] = value;
	return KT_OK;
}

static int add_output(void *context, const char *value)
{
	struct kt_annotate_options *options = context;

	return kt_outputs_add(&options->outputs, value);
}

/*
 * A kt_option_fn does not learn for which option it is called, so each part that can write
 * a file needs its own function.
 */
#define PART_SETTER(i)                                                                     \
	static int add_part_output_##i(void *context, const char *value)                   \
	{                                                                                  \
		struct kt_annotate_options *options = context;                             \
                                                                                           \
		return kt_outputs_add(&options->part_outputs[i], value);                   \
	}

PART_SETTER(0)
PART_SETTER(1)
PART_SETTER(2)
PART_SETTER(3)
PART_SETTER(4)
PART_SETTER(5)

static const kt_option_fn part_setters[KT_PART_FILES] = {
	add_part_output_0, add_part_output_1, add_part_output_2,
	add_part_output_3, add_part_output_4, add_part_output_5,
};

static const struct kt_option first_rows[] = {
	{"rules", 0, "FILE", "rules for labels and states instead of the built-in ones",
	 KT_SET(set_rules)},
	{"merge", 0, "STATES=NAME",
	 "merge states by their numbers in FSM, as 3,7-9=poll; may be repeated",
	 KT_SET(add_merge)},
	{"evidence", 'e', "N", "examples of each state and transition (default 3)",
	 KT_NUMBER(struct kt_annotate_options, evidence, 0, MOST_EVIDENCE)},
	{"output", 'o', "FILE", "output; the ending selects the format; may be repeated",
	 KT_SET(add_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: txt)",
	 KT_TEXT(struct kt_annotate_options, outputs.format)},
};

static const struct kt_option last_rows[] = {
	{"runs", 'r', "LETTER",
	 "a run of this letter counts as one, if the machine does not say",
	 KT_SET(add_runs)},
	{"without", 'x', "LETTER", "leave this letter out, if the machine does not say",
	 KT_SET(add_without)},
	KT_TRACE_FILTER_ROWS(struct kt_annotate_options, part),
	KT_TRACE_FILTER_CALL_ROWS(struct kt_annotate_options, part),
	{"source", 0, "SIDE",
	 "which events to use of a process recorded in user space and kernel: user "
	 "(default) or kernel",
	 KT_ENUM(struct kt_annotate_options, source, KT_SOURCE_NAMES)},
	{"strict", 's', NULL, "fail where letters do not fit or events are missing",
	 KT_FLAG(struct kt_annotate_options, strict)},
	KT_NAMES_ROW(struct kt_annotate_options, names),
	KT_COLOR_ROW,
	KT_LAST_ROWS,
};

#define N_FIRST (sizeof(first_rows) / sizeof(first_rows[0]))
#define N_LAST  (sizeof(last_rows) / sizeof(last_rows[0]))

/* All option rows, including the rows for the files of parts. */
static struct kt_option rows[N_FIRST + KT_PART_FILES + N_LAST];

const struct kt_command_line kt_annotate_command = {
	.usage = "ktail annotate [OPTION]... FSM TRACE...",
	.summary =
		"Explain the states and transitions of a machine, from traces that fit it.",
	.table = rows,
};

/* Builds all option rows, and stores in *out which parts can write a file. */
static void make_rows(struct kt_annotate_options *out)
{
	size_t n = N_FIRST;

	memset(rows, 0, sizeof(rows));
	memcpy(rows, first_rows, sizeof(first_rows));
	for (size_t i = 0; kt_annotation_parts[i] && out->n_part_files < KT_PART_FILES;
	     i++) {
		const struct kt_annotation_file *file = kt_annotation_parts[i]->file;

		if (file) {
			rows[n++] =
				(struct kt_option){file->option, 0, "FILE", file->help,
						   KT_SET(part_setters[out->n_part_files])};
			out->part_of[out->n_part_files++] = i;
		}
	}
	memcpy(&rows[n], last_rows, sizeof(last_rows));
}

static bool has_path(const struct kt_outputs *outputs, const char *path)
{
	for (size_t i = 0; i < outputs->n; i++) {
		if (kt_path_same(outputs->paths[i], path)) {
			return true;
		}
	}
	return false;
}

int kt_annotate_options_parse(struct kt_annotate_options *out, int argc, char **argv,
			      int *n_operands)
{
	*out = (struct kt_annotate_options){.evidence = 3};
	make_rows(out);
	KT_TRY(kt_options_parse(&kt_annotate_command, argc, argv, out, n_operands));
	KT_TRY(kt_trace_filter_settle(&out->part));
	KT_TRY(kt_outputs_check(&out->outputs, &kt_annotate_output));
	for (size_t i = 0; i < out->n_part_files; i++) {
		const struct kt_annotation_part *part =
			kt_annotation_parts[out->part_of[i]];

		KT_TRY(kt_outputs_check(&out->part_outputs[i], part->file->kind));
	}
	/*
	 * Two outputs to one file would overwrite each other; only standard output may be
	 * named by several options.
	 */
	for (size_t i = 0; i < out->n_part_files; i++) {
		for (size_t j = 0; j < out->part_outputs[i].n; j++) {
			const char *path = out->part_outputs[i].paths[j];
			bool taken = has_path(&out->outputs, path);

			for (size_t k = 0; k < i; k++) {
				taken = taken || has_path(&out->part_outputs[k], path);
			}
			if (taken && strcmp(path, "-") != 0) {
				return kt_error(KT_E_USAGE, "two options write %s", path);
			}
		}
	}
	return KT_OK;
}

void kt_annotate_options_clear(struct kt_annotate_options *options)
{
	kt_letter_filter_clear(&options->filter);
	kt_trace_filter_clear(&options->part);
	kt_outputs_clear(&options->outputs);
	free(options->merges);
	for (size_t i = 0; i < KT_PART_FILES; i++) {
		kt_outputs_clear(&options->part_outputs[i]);
	}
}
