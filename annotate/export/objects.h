/* SPDX-License-Identifier: MIT */
/* The contexts of channels, and the streams of calls. The timeline has neither. */
#ifndef KTAIL_ANNOTATE_OBJECTS_H
#define KTAIL_ANNOTATE_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/stats/contexts.h"
#include "annotate/timeline/timeline-events.h"

/* A call with a stream as an argument. */
struct kt_stream_call {
	uint32_t event;  /* index of the call's event */
	uint64_t stream; /* handle; 0: the default stream */
};

/* Empty if all members except `events` are zero. Free with kt_objects_free(). */
struct kt_objects {
	const struct kt_timeline_events *events; /* Weak: filled by an earlier visitor */
	struct kt_stream_call *streams;          /* Owned by this: by ascending event */
	size_t n_streams;
	size_t streams_capacity;
	/* Owned by this: handle of the context of each channel of `events`; 0: unknown */
	uint32_t *contexts;
	size_t n_contexts;
	size_t contexts_capacity;
	struct kt_contexts reading; /* of the current trace */
};

/* Context: struct kt_objects. */
extern const struct kt_activity_visitor kt_objects_visitor;

/* Ends a trace. The contexts of its channels are known afterwards. KT_E_MEMORY. */
int kt_objects_end_trace(struct kt_objects *objects);

/* Returns the stream of a call's event, or NULL. O(log calls). */
const struct kt_stream_call *kt_objects_stream(const struct kt_objects *objects,
					       uint32_t event);

void kt_objects_free(struct kt_objects *objects);

#endif
