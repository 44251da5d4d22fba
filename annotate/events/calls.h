/* SPDX-License-Identifier: MIT */
/*
 * Reads the ioctls of a trace, from the event ioctl of ktail-events(7): request, object
 * and result. Each selected ioctl is reported to a visitor; ioctls of one process come in
 * the order in which they returned. No ioctl is kept.
 */
#ifndef KTAIL_ANNOTATE_CALLS_H
#define KTAIL_ANNOTATE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate/events/call-names.h"
#include "annotate/events/event-fields.h"
#include "infer/words/split/trace-filter.h"

/* One ioctl. */
struct kt_call {
	uint64_t time; /* of the return, ns since the first event of the trace */
	uint32_t pid;
	uint32_t tid;
	const char *process; /* Weak: name of the process, printable */
	uint64_t instance;   /* ordinal of the process instance */
	uint64_t seq;
	const char *device; /* Weak: base name of the device file, printable */
	int32_t fd;
	uint64_t request; /* as the program passed it */
	bool wrapped;     /* passed inside NV_ESC_IOCTL_XFER_CMD */
	struct kt_call_what what;
	uint32_t size; /* of the argument, if the request's number encodes it */
	int64_t result;
	int32_t error;     /* errno, 0 if it worked */
	uint64_t duration; /* ns */
	/*
	 * The following members are only for the resource manager; a member is 0 if the
	 * request has no such field.
	 */
	uint32_t client;
	uint32_t parent;
	uint32_t object;
	uint32_t class_number; /* of the object */
	uint32_t command;
	uint32_t status;
	const char *status_name; /* Static; NULL: no public name */
};

/* Returns whether the kernel or the resource manager reported an error. */
static inline bool kt_call_failed(const struct kt_call *call)
{
	return call->error != 0 || call->status != 0;
}

/* Takes a selected ioctl; an error stops the reading. */
typedef int kt_call_fn(void *visitor, const struct kt_call *call);

/* Totals of a trace; all counters except `selected` also count unselected ioctls. */
struct kt_call_totals {
	uint64_t calls;
	uint64_t selected;
	uint64_t failed;
	uint64_t wrapped;
	/* Calls whose request, command or class has no public name. */
	uint64_t unnamed_requests;
	uint64_t unnamed_commands;
	uint64_t unnamed_classes;
	struct kt_reading reading;
};

/* --- event by event --- */

typedef struct kt_call_feed kt_call_feed;

/*
 * The feed borrows `part`, `visitor` and `totals`. totals->reading.begin must be set before
 * the first event. The caller owns *out.
 */
int kt_call_feed_new(kt_call_feed **out, const struct kt_trace_filter *part,
		     kt_call_fn *each, void *visitor, struct kt_call_totals *totals);

/* NULL is allowed. */
void kt_call_feed_free(kt_call_feed *feed);

/*
 * A kt_event_fn whose context is the feed: takes the next event, of any kind, of a trace
 * opened with kt_annotate_events.
 */
int kt_call_feed_take(void *feed, const struct kt_event *event);

/* --- a trace --- */

/*
 * Reads the trace in a folder; a selection of channels in `part` is ignored. *totals must
 * be zero except for totals->reading.source. KT_E_EMPTY if the trace has no gpu_stack event
 * or no ioctl (totals->reading is valid then, too); otherwise fails as kt_events_open() and
 * kt_events_next() do. O(events).
 */
int kt_calls_read(const char *path, const struct kt_trace_filter *part, kt_call_fn *each,
		  void *visitor, struct kt_call_totals *totals);

#endif
