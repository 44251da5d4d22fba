/* SPDX-License-Identifier: MIT */
/* Events that take time, as spans that nest on each thread: calls, ioctls and waits. */
#ifndef KTAIL_ANNOTATE_SPANS_H
#define KTAIL_ANNOTATE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/timeline/timeline-events.h"

/* The beginning or the end of a span. */
struct kt_span_edge {
	int64_t time; /* ns since the first event of all traces; not negative */
	uint32_t event;
	bool end;
};

/* Empty if all members are zero. Free with kt_spans_free(). */
struct kt_spans {
	/*
	 * Owned by this: thread by thread, and in order of time within a thread. Of the
	 * open spans, the span that began last ends first.
	 */
	struct kt_span_edge *edges;
	/*
	 * Owned by this: index of the first edge of each thread, then the number of all
	 * edges
	 */
	size_t *begins;
	size_t n_threads;
};

/*
 * Makes the spans of all threads. Events say which call they are inside, but the times of
 * damaged traces can contradict this. A call then lasts as long as the events inside it,
 * and ends before the events outside it. KT_E_MEMORY. O(events log events + depth).
 */
int kt_spans_make(struct kt_spans *out, const struct kt_timeline_events *events);

void kt_spans_free(struct kt_spans *spans);

#endif
