/* SPDX-License-Identifier: MIT */
/*
 * Events as they come, out by process instance in order of sequence number: an event's
 * number is taken where it happens, its time a little later, so a few come too early. Not
 * for users of infer/words/read/events.h.
 */
#ifndef KTAIL_WORDS_EVENT_ORDER_H
#define KTAIL_WORDS_EVENT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

#include "infer/words/split/instances.h"

/* An event on its way. */
struct kt_queued {
	uint64_t seq;              /* first: kt_pending_add() */
	const bt_message *message; /* Owned by this: a reference; NULL: it is kept */
	const void *fields;        /* Weak: of one that is kept */
	const void *class_;        /* Weak: for its reader */
	const struct kt_instance
		*instance; /* Weak; its name is NULL where it is not known */
	int64_t time;
	uint32_t tid;
};

struct kt_event_order;

/* Notes loss and cuts in `totals`, which must outlive it. The caller owns *out. */
int kt_event_order_new(struct kt_event_order **out, struct kt_collect_totals *totals);

/* NULL is allowed. */
void kt_event_order_free(struct kt_event_order *order);

/*
 * Adds an event, whose message it takes a reference of; but for those of lives that are
 * dropped, which are left out. The lives outlive it.
 */
int kt_event_order_add(struct kt_event_order *order, const struct kt_queued *event);

/* There are no more: all that are pending come out. */
int kt_event_order_end(struct kt_event_order *order);

/* Takes the next event out, with its reference. false: none is ready. */
bool kt_event_order_take(struct kt_event_order *order, struct kt_queued *out);

#endif
