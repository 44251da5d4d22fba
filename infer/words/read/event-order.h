/* SPDX-License-Identifier: MIT */
/*
 * Events as they are muxed in, out by process in order of sequence number: an event's
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
	uint64_t seq;              /* first: kt_waiting_add() */
	const bt_message *message; /* Owned by this: a reference */
	const void *class_;        /* Weak: for its reader */
	const struct kt_instance
		*instance; /* Weak; its name is NULL where it is not known */
	int64_t time;
	uint32_t tid;
	enum kt_event_kind kind;
};

struct kt_event_order;

/* Notes loss and cuts in `totals`, which must outlive it. The caller owns *out. */
int kt_event_order_new(struct kt_event_order **out, struct kt_collect_totals *totals);

/* NULL is allowed. */
void kt_event_order_free(struct kt_event_order *order);

/*
 * Adds an event, whose message it takes a reference of. *life, which the caller tells what
 * else the event says of its process, is its life.
 */
int kt_event_order_add(struct kt_event_order *order, const struct kt_origin *origin,
		       const struct kt_queued *event, struct kt_instance **instance);

/* There are no more: all that wait come out. */
int kt_event_order_end(struct kt_event_order *order);

/*
 * Call before the first event where both sides may tell of a process: no event comes out.
 * Once all were added, kt_event_order_choose() says which lives come from which side; then
 * they are all added once more, and come out but for those of lives that are left out.
 */
void kt_event_order_survey(struct kt_event_order *order);
bool kt_event_order_surveys(const struct kt_event_order *order);
int kt_event_order_choose(struct kt_event_order *order, enum kt_source source);

/* Takes the next event out, with its reference. false: none is ready. */
bool kt_event_order_take(struct kt_event_order *order, struct kt_queued *out);

#endif
