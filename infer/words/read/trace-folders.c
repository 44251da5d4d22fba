/* SPDX-License-Identifier: MIT */
#include "infer/words/read/trace-folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/guard.h"

int kt_trace_folders_open(struct kt_trace_folders *out, const char *path,
			  struct kt_trace_report *report)
{
	uint64_t bytes = 0;
	int code;

	kt_guard_begin(path);
	code = kt_ctf_find(&out->found, path);
	if (code) {
		kt_guard_end();
		return code;
	}
	out->paths = calloc(out->found.n, sizeof(*out->paths));
	code = out->paths ? KT_OK : kt_no_memory("read trace");
	for (size_t i = 0; i < out->found.n && !code; i++) {
		struct kt_ctf_folder *folder = &out->found.folders[i];

		code = kt_ctf_repair(folder);
		report->cut_files += folder->n_cut;
		report->damaged_files += folder->n_damaged;
		if (folder->damage && !report->damage[0]) {
			snprintf(report->damage, sizeof(report->damage), "%s",
				 folder->damage);
		}
		report->cut_bytes += folder->cut_off;
		bytes += folder->bytes;
		out->paths[i] = folder->copy ? folder->copy : folder->path;
	}
	if (code) {
		kt_trace_folders_close(out);
		return code;
	}
	kt_guard_limit(bytes);
	return KT_OK;
}

void kt_trace_folders_close(struct kt_trace_folders *folders)
{
	kt_ctf_free(&folders->found);
	free(folders->paths);
	kt_guard_end();
}

void kt_trace_folders_name(const struct kt_trace_folders *folders, char *text, size_t size)
{
	for (size_t i = 0; i < folders->found.n; i++) {
		const struct kt_ctf_folder *folder = &folders->found.folders[i];
		size_t length = strlen(folder->path);
		char *at = folder->copy ? strstr(text, folder->copy) : NULL;

		while (at) {
			char *tail = strdup(at + strlen(folder->copy));

			if (!tail) {
				break;
			}
			snprintf(at, size - (size_t)(at - text), "%s%s", folder->path,
				 tail);
			free(tail);
			at = (size_t)(at - text) + length < size
				     ? strstr(at + length, folder->copy)
				     : NULL;
		}
	}
}

int kt_trace_folders_fail(const struct kt_trace_folders *folders, int code)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s", kt_error_message());
	kt_trace_folders_name(folders, text, sizeof(text));
	return kt_error(code, "%s", text);
}
