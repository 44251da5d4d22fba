/* SPDX-License-Identifier: MIT */
#include "annotate/replay/replay-options.h"

#include <ktail/status.h>

#include "annotate/replay/replay.h"
#include "base/try.h"

static const struct kt_output_format formats[] = {
	{".txt", NULL, kt_replay_write},
	{NULL, NULL, NULL},
};

const struct kt_output_kind kt_replay_output = {
	.what = "listing",
	.formats = formats,
};

static int add_output(void *context, const char *value)
{
	return kt_outputs_add(&((struct kt_replay_options *)context)->outputs, value);
}

static const struct kt_option table[] = {
	{"accesses", 0, NULL, "also list reads and writes of mapped memory",
	 KT_FLAG(struct kt_replay_options, accesses)},
	{"no-fold", 0, NULL, "a line for each event, also for repeats",
	 KT_FLAG(struct kt_replay_options, no_fold)},
	{"output", 'o', "FILE",
	 "output: .txt; may be repeated; default: standard "
	 "output",
	 KT_SET(add_output)},
	KT_TRACE_FILTER_ROWS(struct kt_replay_options, part),
	KT_TRACE_FILTER_CALL_ROWS(struct kt_replay_options, part),
	{"source", 0, "SIDE",
	 "which events to use of a process recorded in user space and kernel: user "
	 "(default) or kernel",
	 KT_ENUM(struct kt_replay_options, source, KT_SOURCE_NAMES)},
	{"strict", 's', NULL, "fail where events are missing",
	 KT_FLAG(struct kt_replay_options, strict)},
	KT_LAST_ROWS,
};

const struct kt_command_line kt_replay_command = {
	.usage = "ktail replay [OPTION]... TRACE... [-o FILE]...",
	.summary = "List API calls, and the ioctls, doorbells and waits inside them.",
	.table = table,
};

int kt_replay_options_parse(struct kt_replay_options *out, int argc, char **argv,
			    int *n_operands)
{
	*out = (struct kt_replay_options){.accesses = false};
	KT_TRY(kt_options_parse(&kt_replay_command, argc, argv, out, n_operands));
	if (kt_asked_any(&out->asked)) {
		return KT_OK;
	}
	if (*n_operands == 0) {
		return kt_error(KT_E_USAGE, "no trace given; see ktail replay --help");
	}
	KT_TRY(kt_trace_filter_settle(&out->part));
	return kt_outputs_check(&out->outputs, &kt_replay_output);
}

void kt_replay_options_clear(struct kt_replay_options *options)
{
	kt_trace_filter_clear(&options->part);
	kt_outputs_clear(&options->outputs);
}
