/* SPDX-License-Identifier: MIT */
#include "infer/words/read/trace-input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/guard.h"
#include "base/try.h"

/* --- messages, which must not name private copies --- */

/*
 * Replaces the paths of private copies in text[0..size) by those of the original folders.
 */
static void name_folders(const struct kt_ctf_folders *found, char *text, size_t size)
{
	for (size_t i = 0; i < found->n; i++) {
		const struct kt_ctf_folder *folder = &found->folders[i];
		size_t length = strlen(folder->path);
		char *at = folder->copy ? strstr(text, folder->copy) : NULL;

		while (at) {
			char *rest = strdup(at + strlen(folder->copy));

			if (!rest) {
				break;
			}
			snprintf(at, size - (size_t)(at - text), "%s%s", folder->path,
				 rest);
			free(rest);
			at = (size_t)(at - text) + length < size
				     ? strstr(at + length, folder->copy)
				     : NULL;
		}
	}
}

/* Replaces the paths of private copies in this thread's error message. Returns `code`. */
static int fail(const struct kt_ctf_folders *found, int code)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s", kt_error_message());
	name_folders(found, text, sizeof(text));
	return kt_error(code, "%s", text);
}

/* --- folders --- */

static int find_live(struct kt_ctf_folders *found, const char *url)
{
	found->folders = calloc(1, sizeof(*found->folders));
	if (!found->folders) {
		return kt_no_memory("read trace");
	}
	found->n = 1;
	found->folders[0].path = strdup(url);
	return found->folders[0].path ? KT_OK : kt_no_memory("read trace");
}

/* Finds and repairs all traces at or below a path. Reports truncated and damaged files. */
static int find_folders(struct kt_trace_input *input, const char *path)
{
	struct kt_trace_report *report = input->report;
	uint64_t bytes = 0;

	KT_TRY(kt_ctf_find(&input->found, path));
	for (size_t i = 0; i < input->found.n; i++) {
		struct kt_ctf_folder *folder = &input->found.folders[i];
		int code = kt_ctf_repair(folder);

		report->cut_files += folder->n_cut;
		report->damaged_files += folder->n_damaged;
		if (folder->damage && !report->damage[0]) {
			snprintf(report->damage, sizeof(report->damage), "%s",
				 folder->damage);
		}
		report->cut_bytes += folder->cut_off;
		bytes += folder->bytes;
		KT_TRY(code);
	}
	kt_guard_limit(bytes);
	return KT_OK;
}

/* --- the input --- */

int kt_trace_input_open(struct kt_trace_input *input, const char *path,
			struct kt_trace_report *report)
{
	int code;

	input->report = report;
	input->live = input->data.pass && kt_graph_is_live(path);
	kt_guard_begin(path);
	KT_TRY_END(input->live ? find_live(&input->found, path)
			       : find_folders(input, path));
	code = kt_graph_new(&input->graph, input->found.folders, input->found.n,
			    &input->data);
	if (code) {
		code = fail(&input->found, code);
		code = kt_guard_judge(kt_error_prepend(code, "read %s", path));
	}
end:
	if (code) {
		kt_ctf_free(&input->found);
		kt_guard_end();
	}
	return code;
}

int kt_trace_input_step(struct kt_trace_input *input, bool *more)
{
	struct kt_trace_report *report = input->report;
	int code =
		kt_graph_step(input->graph, more, report->stopped, sizeof(report->stopped));

	name_folders(&input->found, report->stopped, sizeof(report->stopped));
	report->discarded_events = input->data.counts.discarded_events;
	report->discarded_packets = input->data.counts.discarded_packets;
	return code ? kt_guard_judge(fail(&input->found, code)) : KT_OK;
}

int kt_trace_input_judge(const struct kt_trace_input *input, const char *path,
			 uint64_t events)
{
	/*
	 * Babeltrace connects to a live session only when the first message is read, so a
	 * failed connection is detected here.
	 */
	return input->live && input->report->stopped[0] && events == 0
		       ? kt_error(KT_E_IO,
				  "read %s: %s; a live session requires a running relay "
				  "daemon (lttng-relayd)",
				  path, input->report->stopped)
		       : KT_OK;
}

void kt_trace_input_close(struct kt_trace_input *input)
{
	if (input->graph) {
		kt_graph_free(input->graph);
		kt_ctf_free(&input->found);
		kt_guard_end();
		input->graph = NULL;
	}
}
