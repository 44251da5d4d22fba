/* SPDX-License-Identifier: MIT */
#include "annotate/policy/policy-options.h"

#include <string.h>

#include <ktail/status.h>

#include "annotate/policy/needs.h"
#include "base/terminal.h"
#include "base/try.h"

static const struct kt_output_format formats[] = {
	{".txt", NULL, kt_needs_write_text},
	{".tsv", NULL, kt_needs_write_tsv},
	{".json", NULL, kt_needs_write_json},
	{".nvproxy", NULL, kt_needs_write_nvproxy},
	{".seccomp", NULL, kt_needs_write_seccomp},
	{NULL, NULL, NULL},
};

const struct kt_output_kind kt_output_policy = {
	.what = "policy",
	.formats = formats,
	.json = kt_needs_write_json,
};

static int add_output(void *context, const char *value)
{
	return kt_outputs_add(&((struct kt_policy_options *)context)->outputs, value);
}

static const struct kt_option table[] = {
	{"check", 0, "LIST",
	 "instead: what the inputs need that a list (.json of ktail policy) does not name",
	 KT_TEXT(struct kt_policy_options, check)},
	{"exact", 0, NULL,
	 "with -f seccomp: fail if there are needs that a filter cannot express",
	 KT_FLAG(struct kt_policy_options, exact)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: txt)",
	 KT_TEXT(struct kt_policy_options, outputs.format),
	 KT_PROPOSE("txt", "tsv", "json", "nvproxy", "seccomp")},
	KT_TRACE_FILTER_ROWS(struct kt_policy_options, part),
	KT_TRACE_FILTER_CALL_ROWS(struct kt_policy_options, part),
	{"source", 0, "SIDE",
	 "which events to use of a process recorded in user space and kernel: user "
	 "(default) or kernel",
	 KT_ENUM(struct kt_policy_options, source, KT_SOURCE_NAMES)},
	{"output", 'o', "FILE",
	 "output: .txt .tsv .json .nvproxy .seccomp; may be repeated", KT_SET(add_output)},
	KT_COLOR_ROW,
	KT_LAST_ROWS,
};

const struct kt_command_line kt_policy_command = {
	.usage =
		"ktail policy [OPTION]... TRACE|FSM|WORD.events|LIST.json... [-o FILE]...\n"
		"       ktail policy --check LIST.json [OPTION]... TRACE|FSM|...",
	.summary =
		"List what programs need of the driver: device files, ioctls, controls, "
		"classes,\nmappings; or say which programs a list would stop, and where.",
	.table = table,
};

int kt_policy_options_parse(struct kt_policy_options *out, int argc, char **argv,
			    int *n_operands)
{
	*out = (struct kt_policy_options){0};
	KT_TRY(kt_options_parse(&kt_policy_command, argc, argv, out, n_operands));
	if (kt_asked_any(&out->asked)) {
		return KT_OK;
	}
	KT_TRY(kt_trace_filter_settle(&out->part));
	KT_TRY(kt_outputs_check(&out->outputs, &kt_output_policy));
	if (out->exact && !kt_policy_has_seccomp(out)) {
		return kt_error(KT_E_USAGE, "--exact needs -f seccomp");
	}
	return KT_OK;
}

bool kt_policy_has_seccomp(const struct kt_policy_options *options)
{
	bool has =
		options->outputs.format && strcmp(options->outputs.format, "seccomp") == 0;

	for (size_t i = 0; i < options->outputs.n; i++) {
		const char *dot = strrchr(options->outputs.paths[i], '.');

		has = has || (dot && strcmp(dot, ".seccomp") == 0);
	}
	return has;
}
