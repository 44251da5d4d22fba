/* SPDX-License-Identifier: MIT */
/*
 * A trace while it is read: its repaired folders or the live session, the graph over them,
 * and the report. Internal: users include events.h or trace.h.
 */
#ifndef KTAIL_WORDS_TRACE_INPUT_H
#define KTAIL_WORDS_TRACE_INPUT_H

#include <stdbool.h>

#include "infer/words/read/graph.h"
#include "infer/words/read/trace.h"

/* Not open if all members are zero, except those of `data` that the owner sets. */
struct kt_trace_input {
	/* the owner sets take, pass, taker and stop */
	struct kt_sink_data data;
	struct kt_trace_report *report; /* Weak */
	/* Owned by this; a live session is one folder, whose path is the URL */
	struct kt_ctf_folders found;
	struct kt_graph *graph; /* Owned by this; NULL: not open */
	bool live;
};

/*
 * Opens the input; `path` can be a live session only if data.pass is set. `report` must
 * outlive the input. Fails as kt_trace_open() does; after a failure there is nothing to
 * close.
 */
int kt_trace_input_open(struct kt_trace_input *input, const char *path,
			struct kt_trace_report *report);

/*
 * Passes the next few events to data.take. *more is false at the end, or where the trace
 * becomes unreadable (report->stopped).
 */
int kt_trace_input_step(struct kt_trace_input *input, bool *more);

/*
 * To be called when all of the input has been read, with the number of its events: KT_E_IO
 * if a live session could not be reached.
 */
int kt_trace_input_judge(const struct kt_trace_input *input, const char *path,
			 uint64_t events);

/*
 * Closes the input if it is open. A struct kt_event_classes has its own references, so it
 * can be cleared before or afterwards.
 */
void kt_trace_input_close(struct kt_trace_input *input);

#endif
