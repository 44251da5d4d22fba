/* SPDX-License-Identifier: MIT */
/* The loop over the events of a trace that all readers here share. */
#ifndef KTAIL_ANNOTATE_READ_EVENTS_H
#define KTAIL_ANNOTATE_READ_EVENTS_H

#include <stdint.h>

#include "infer/words/read/events.h"

/* An error stops the reading. */
typedef int kt_event_fn(void *context, const struct kt_event *event);

/* What is known of a trace that is being read. */
struct kt_reading {
	/* Set by who reads: of processes that both sides tell of. 0: from user space. */
	enum kt_source source;
	int64_t begin; /* of the first event of ours, ns since the epoch */
	struct kt_trace_report report;
};

/*
 * Tells of all events of the trace in a folder, opened with kt_annotate_events, but for
 * those of processes that are taken from the other side than reading->source.
 * reading->begin is set before the first, reading->report after the last, also on failure.
 * KT_E_EMPTY if there is none; fails else as kt_events_open() and kt_events_next() do.
 */
int kt_read_events(const char *path, kt_event_fn *take, void *context,
		   struct kt_reading *reading);

/* When an event was: ns since the first one of the trace. */
static inline uint64_t kt_reading_time(const struct kt_reading *reading,
				       const struct kt_event *event)
{
	return event->time > reading->begin ? (uint64_t)(event->time - reading->begin) : 0;
}

#endif
