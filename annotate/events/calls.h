/* SPDX-License-Identifier: MIT */
/*
 * The ioctls of a trace, from ktail-events(7)'s ioctl: which request each was, of what, and
 * how it went. A visitor is told of each that is selected, in the order in which those of a
 * process returned; nothing is kept.
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
	uint64_t time; /* of its return, ns since the first event of the trace */
	uint32_t pid;
	uint32_t tid;
	const char *process; /* Weak: its name, printable */
	uint64_t instance;   /* which life of which process */
	uint64_t seq;
	const char *device; /* Weak: base name of the path, printable */
	int32_t fd;
	uint64_t request; /* as it was passed */
	bool wrapped;     /* it was passed inside NV_ESC_IOCTL_XFER_CMD */
	struct kt_call_what what;
	uint32_t size; /* of its argument, where its number says it */
	int64_t result;
	int32_t error;     /* errno, 0 if it worked */
	uint64_t duration; /* ns */
	/* Of calls to the resource manager; 0 where a call has none */
	uint32_t client;
	uint32_t parent;
	uint32_t object;
	uint32_t class_number; /* of the object */
	uint32_t command;
	uint32_t status;
	const char *status_name; /* Static; NULL: it has no public one */
};

/* Whether the kernel or the resource manager said anything but that all was well. */
static inline bool kt_call_failed(const struct kt_call *call)
{
	return call->error != 0 || call->status != 0;
}

/* An error stops the reading. */
typedef int kt_call_fn(void *visitor, const struct kt_call *call);

/* Of a whole trace, whatever is selected, but for `selected`. */
struct kt_call_totals {
	uint64_t calls;
	uint64_t selected;
	uint64_t failed;
	uint64_t wrapped;
	/* Without a public name */
	uint64_t unnamed_requests;
	uint64_t unnamed_commands;
	uint64_t unnamed_classes;
	struct kt_reading reading;
};

/* --- event by event --- */

typedef struct kt_call_feed kt_call_feed;

/*
 * All are borrowed. totals->reading.begin must be known before the first event. The caller
 * owns *out.
 */
int kt_call_feed_new(kt_call_feed **out, const struct kt_trace_filter *part,
		     kt_call_fn *each, void *visitor, struct kt_call_totals *totals);

/* NULL is allowed. */
void kt_call_feed_free(kt_call_feed *feed);

/* The next event of a trace that is open with kt_annotate_events; all, not only ioctls: a
 * kt_event_fn, whose context is the feed. */
int kt_call_feed_take(void *feed, const struct kt_event *event);

/* --- a trace --- */

/*
 * Reads the trace in a folder; its channels do not count. KT_E_EMPTY
 * if it has no event of ours, or no ioctl; totals->reading is valid then, too. totals is
 * all zero before but for reading.source. Fails else as kt_events_open() and
 * kt_events_next() do. O(events).
 */
int kt_calls_read(const char *path, const struct kt_trace_filter *part, kt_call_fn *each,
		  void *visitor, struct kt_call_totals *totals);

#endif
