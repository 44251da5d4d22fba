/* SPDX-License-Identifier: MIT */
/* What lies at a path, made ready to be read by a graph: found, and repaired where cut. */
#ifndef KTAIL_WORDS_TRACE_FOLDERS_H
#define KTAIL_WORDS_TRACE_FOLDERS_H

#include <stddef.h>

#include "infer/words/read/ctf-folder.h"
#include "infer/words/read/trace.h"

struct kt_trace_folders {
	struct kt_ctf_folders found;
	const char *
		*paths; /* Owned by this: the folder, or the copy, of each that was found */
};

/*
 * Finds and repairs all traces at or below a path; notes in the report which files are cut.
 * On failure *out needs no close.
 */
int kt_trace_folders_open(struct kt_trace_folders *out, const char *path,
			  struct kt_trace_report *report);

/* Removes the copies and frees all. */
void kt_trace_folders_close(struct kt_trace_folders *folders);

/*
 * Whoever reads a message knows nothing of private copies: puts the folders' own names in
 * their place in text[0..size).
 */
void kt_trace_folders_name(const struct kt_trace_folders *folders, char *text, size_t size);

/* Does that to the thread's error message; returns code. */
int kt_trace_folders_fail(const struct kt_trace_folders *folders, int code);

#endif
