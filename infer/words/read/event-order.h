/* SPDX-License-Identifier: MIT */
/*
 * Sorts the events of each process instance by sequence number. An event gets its number a
 * little before its timestamp, so the order of the timestamps may differ from the order of
 * the numbers. Internal: users include infer/words/read/events.h.
 */
#ifndef KTAIL_WORDS_EVENT_ORDER_H
#define KTAIL_WORDS_EVENT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

#include "infer/words/read/event-class.h"
#include "infer/words/split/instances.h"

/* A queued event. */
struct kt_queued {
	uint64_t seq;              /* must be first, for kt_pending_add() */
	const bt_message *message; /* Owned by this: a reference; NULL for a kept event */
	struct kt_payload payload; /* fields in the message */
	const void *fields;        /* Weak: fields of a kept event */
	const void *class_;        /* Weak: struct kt_event_class of the event */
	const struct kt_instance *instance; /* Weak; instance->name may still be NULL */
	int64_t time;
	uint32_t tid;
};

struct kt_event_order;

/*
 * Creates the queue, which counts lost events and truncations in `totals`. The totals must
 * outlive the queue. The caller owns *out.
 */
int kt_event_order_new(struct kt_event_order **out, struct kt_collect_totals *totals);

/* `order` may be NULL. */
void kt_event_order_free(struct kt_event_order *order);

/*
 * Adds an event and takes a reference to its message. Events of dropped process instances
 * are left out. The instances must outlive the queue.
 */
int kt_event_order_add(struct kt_event_order *order, const struct kt_queued *event);

/*
 * Says that the time of the trace is `now`, in ns since the epoch: events that have been
 * pending for longer than KT_STREAM_PATIENCE become ready. O(process instances).
 */
int kt_event_order_pass(struct kt_event_order *order, int64_t now);

/* Ends the input: all pending events become ready. */
int kt_event_order_end(struct kt_event_order *order);

/*
 * Writes the next ready event to *out, or returns false if no event is ready. The caller
 * then owns the reference to the message of the event.
 */
bool kt_event_order_take(struct kt_event_order *order, struct kt_queued *out);

#endif
