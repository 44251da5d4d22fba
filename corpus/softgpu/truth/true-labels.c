/* SPDX-License-Identifier: MIT */
/*
 * true-labels: reads a trace of the software GPU and its driver's labels, and writes the
 * true label of each event that can be a letter. Tab-separated columns: process (the
 * process instance, from 0), seq, time (ns since the epoch), tid, event, label, call; "-"
 * for none.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "base/cleanup.h"
#include "base/guard.h"
#include "base/option-table.h"
#include "base/standard-files.h"
#include "base/try.h"
#include "corpus/softgpu/truth/said-labels.h"
#include "infer/words/read/events.h"

struct options {
	bool help;
};

static const struct kt_option table[] = {
	{"help", 'h', NULL, "show this help", KT_FLAG(struct options, help)},
	{0},
};

static const struct kt_command_line command = {
	.usage = "true-labels TRACE LABELS.tsv",
	.summary =
		"Prints what the software GPU's driver was doing at each ioctl, mapping,\n"
		"access and doorbell of a trace: LABELS.tsv is what it wrote with\n"
		"KTAIL_SOFTGPU_LABELS while TRACE was recorded.",
	.table = table,
};

static const char *or_none(const char *text)
{
	return *text ? text : "-";
}

int main(int argc, char **argv)
{
	/* Events that alphabets have letters for. */
	static const char *const names[] = {"ioctl", "map", "unmap", "access", "doorbell"};
	const size_t n_names = sizeof(names) / sizeof(names[0]);
	struct options o = {0};
	struct kt_said_labels *labels = NULL;
	kt_events *events = NULL;
	const struct kt_event *event = NULL;
	int64_t offset = 0;
	int n_operands = 0;
	int code;

	kt_standard_files_open();
	kt_cleanup_install();
	kt_guard_install();
	KT_TRY_END(kt_options_parse(&command, argc, argv, &o, &n_operands));
	if (o.help) {
		kt_options_help(&command, stdout);
		goto end;
	}
	if (n_operands != 2) {
		code = kt_error(KT_E_USAGE,
				"expected a trace and its labels, not %d operands",
				n_operands);
		goto end;
	}
	KT_TRY_END(kt_said_labels_read(&labels, argv[1]));
	KT_TRY_END(kt_trace_clock_offset(&offset, argv[0]));
	KT_TRY_END(kt_events_open(&events, argv[0], NULL));
	code = kt_events_next(events, &event);
	printf("process\tseq\ttime\ttid\tevent\tlabel\tcall\n");
	for (; !code && event; code = kt_events_next(events, &event)) {
		struct kt_said said;
		size_t i = event->kernel ? n_names : 0;

		while (i < n_names && strcmp(event->name, names[i]) != 0) {
			i++;
		}
		if (i == n_names) {
			continue;
		}
		said = kt_said_labels_at(labels, event->pid, event->tid,
					 event->time - offset);
		printf("%" PRIu64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRIu32 "\t%s\t%s\t%s\n",
		       event->process, event->seq, event->time, event->tid, event->name,
		       or_none(said.label), or_none(said.call));
	}
end:
	kt_events_free(events);
	kt_said_labels_free(labels);
	return kt_standard_files_end("true-labels", code, 0);
}
