/* SPDX-License-Identifier: MIT */
/*
 * What happened in traces, in order of time: processes, threads, channels, events, and
 * requests from submission to completion. ktail report, export and replay show it.
 */
#ifndef KTAIL_ANNOTATE_TIMELINE_H
#define KTAIL_ANNOTATE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/events/gaps.h"
#include "annotate/requests/requests.h"
#include "annotate/timeline/timeline-events.h"
#include "infer/words/read/trace.h"

struct kt_timeline_trace {
	const char *path;                 /* Weak */
	char *name;                       /* Owned by this: its folder, printable */
	int origin;                       /* 0: old, or the only side; 1: new */
	kt_trace *trace;                  /* Owned by this */
	struct kt_activity_totals totals; /* Owned by this */
};

/* What a timeline knows of a request besides kt_requests. */
struct kt_timeline_joined {
	int64_t shift; /* added to its times */
	uint32_t channel;
	uint32_t doorbell; /* index of its event; KT_TIMELINE_NONE: the request has no such
			    * event */
	uint32_t noticed;  /* thread that noticed completion, or KT_TIMELINE_NONE */
	bool left_out;     /* the trace had its maximum of events before the doorbell */
};

/*
 * A request as it is shown. Members of type uint32_t are indexes in the timeline's events;
 * KT_TIMELINE_NONE: none.
 */
struct kt_timeline_request {
	size_t index;      /* in kt_requests.requests */
	int64_t submitted; /* ns since the first event of all traces, as is `completed` */
	int64_t completed; /* when the program noticed that it was done; -1: unknown */
	uint32_t channel;
	uint32_t doorbell; /* index of its event */
	uint32_t call;     /* index of the event of the call around the doorbell */
	uint32_t noticed;  /* index of the thread that noticed completion */
	int64_t device;    /* ns that it took by the device's timer; -1: unknown */
	uint32_t name;     /* index in `names`, as are `commands`, `kernel` and `sign` */
	uint32_t commands; /* their names, as kt_work_list() has them */
	uint64_t bytes;    /* of commands */
	uint64_t copied;   /* bytes */
	uint64_t launches;
	uint32_t kernel;
	uint32_t sign; /* kind of evidence of completion */
};

/* kt_timeline_init() makes it empty. Free with kt_timeline_free(), which accepts all zero.
 */
struct kt_timeline {
	struct kt_timeline_trace *traces; /* Owned by this */
	size_t n_traces;
	size_t traces_capacity;
	int64_t begin; /* first event of all traces, ns since the epoch */
	/*
	 * Maximum number of events that are collected, with their requests; of each trace,
	 * the first ones are taken. 0: no maximum. Set before the first kt_timeline_read().
	 */
	uint64_t most;
	struct kt_gaps gaps;
	struct kt_timeline_events events;
	struct kt_requests requests;
	struct kt_timeline_joined *joined; /* Owned by this: parallel to `requests` */
	size_t joined_capacity;
};

void kt_timeline_init(struct kt_timeline *timeline);

/*
 * Opens a trace, which is read once, and adds it to the timeline. `options` must keep
 * events (kt_annotate_events). KT_E_MALFORMED if the path names words, KT_E_EMPTY if the
 * trace has no events; otherwise fails as kt_trace_open() does.
 */
int kt_timeline_open(struct kt_timeline *timeline, const char *path, int origin,
		     const struct kt_trace_options *options);

/*
 * Collects events and requests of the trace with this index from the events that it has
 * kept; all traces must be open. Also calls n visitors (at most 4), each with its context.
 * `part` selects a part of the trace. KT_E_MEMORY, KT_E_MALFORMED.
 */
int kt_timeline_read(struct kt_timeline *timeline, size_t index,
		     const struct kt_trace_filter *part,
		     const struct kt_activity_visitor *const *visitors,
		     void *const *contexts, size_t n);

/* Fails with KT_E_LOSS if anything is missing from the traces. */
int kt_timeline_judge(const struct kt_timeline *timeline);

/*
 * Sets *out to the request with index i in `requests`, and adds the texts of the request to
 * the names. KT_E_MEMORY.
 */
int kt_timeline_request(struct kt_timeline *timeline, size_t i,
			struct kt_timeline_request *out);

/*
 * Returns whether request i is shown. The event of its doorbell must not be left out and,
 * if `part` selects only a part of the trace, must be in that part.
 */
static inline bool kt_timeline_selects(const struct kt_timeline *timeline, size_t i,
				       const struct kt_trace_filter *part)
{
	return !timeline->joined[i].left_out &&
	       (!part->any || timeline->joined[i].doorbell != KT_TIMELINE_NONE);
}

void kt_timeline_free(struct kt_timeline *timeline);

#endif
