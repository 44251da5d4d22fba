/* SPDX-License-Identifier: MIT */
/*
 * A trace that is being read: its folders, repaired, or a live session; the graph over
 * them; what is to be said of it. Not for users of events.h and trace.h.
 */
#ifndef KTAIL_WORDS_TRACE_INPUT_H
#define KTAIL_WORDS_TRACE_INPUT_H

#include <stdbool.h>

#include "infer/words/read/graph.h"
#include "infer/words/read/trace.h"

/* All zero but for what its owner sets in `data`: not open. */
struct kt_trace_input {
	struct kt_sink_data data;       /* take, pass, taker and stop are its owner's */
	struct kt_trace_report *report; /* Weak */
	struct kt_ctf_folders found;    /* Owned by this: of a live session one, its URL */
	struct kt_graph *graph;         /* Owned by this; NULL: not open */
	bool live;
};

/* Of live sessions only where data.pass is set. The report must outlive it. Fails as
 * kt_trace_open() does; then there is nothing to close.
 */
int kt_trace_input_open(struct kt_trace_input *input, const char *path,
			struct kt_trace_report *report);

/*
 * Gives the next few events to data.take. *more is false where there are none any more: at
 * the end, or where the trace stops making sense.
 */
int kt_trace_input_step(struct kt_trace_input *input, bool *more);

/* If it is open. What is known of event classes must have been cleared, or outlive it. */
void kt_trace_input_close(struct kt_trace_input *input);

#endif
