/* SPDX-License-Identifier: MIT */
#include "infer/words/read/event-order.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/read/events.h"
#include "infer/words/split/pending.h"

/* Pending events of one process instance. */
struct instance {
	const struct kt_instance *instance; /* Weak; NULL: no event yet */
	/*
	 * no more events are expected: a later instance has begun, or the input has ended
	 */
	bool over;
	/* items: struct kt_queued, each with a reference to its message */
	struct kt_pending pending;
};

struct kt_event_order {
	struct kt_collect_totals *totals; /* Weak */
	/* Owned by this; index: kt_instance.index */
	struct instance *instances;
	size_t n_instances;
	size_t instances_capacity;
	/* Owned by this; each item has a reference to its message */
	struct kt_queued *ready;
	size_t n_ready;
	size_t ready_capacity;
	size_t taken; /* number of items already taken from `ready` */
};

int kt_event_order_new(struct kt_event_order **out, struct kt_collect_totals *totals)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		return kt_no_memory("read events");
	}
	(*out)->totals = totals;
	return KT_OK;
}

void kt_event_order_free(struct kt_event_order *order)
{
	if (!order) {
		return;
	}
	for (size_t i = order->taken; i < order->n_ready; i++) {
		bt_message_put_ref(order->ready[i].message);
	}
	for (size_t i = 0; i < order->n_instances; i++) {
		struct kt_pending *pending = &order->instances[i].pending;

		for (size_t j = 0; j < pending->n; j++) {
			const struct kt_queued *event =
				kt_pending_at(pending, j, sizeof(*event));

			bt_message_put_ref(event->message);
		}
		kt_pending_clear(pending);
	}
	free(order->instances);
	free(order->ready);
	free(order);
}

/* --- output --- */

bool kt_event_order_take(struct kt_event_order *order, struct kt_queued *out)
{
	if (order->taken == order->n_ready) {
		order->taken = order->n_ready = 0;
		return false;
	}
	*out = order->ready[order->taken++];
	return true;
}

/*
 * Appends an event, with the reference to its message, to `ready`. Events that are missing
 * before it count as lost.
 */
static int give_out(struct kt_event_order *order, struct instance *instance,
		    const struct kt_queued *event)
{
	KT_TRY(kt_array_reserve(&order->ready, &order->ready_capacity, order->n_ready + 1));
	order->ready[order->n_ready++] = *event;
	order->totals->cut_begins += !instance->pending.started && event->seq != 0;
	order->totals->lost = kt_lost_add(order->totals->lost,
					  kt_pending_pass(&instance->pending, event->seq));
	return KT_OK;
}

/*
 * Moves to `ready` all pending events that need not wait. On failure, the other events stay
 * pending.
 */
static int release(struct kt_event_order *order, struct instance *instance, size_t window)
{
	const struct kt_queued *event;

	while ((event = kt_pending_ready(&instance->pending, window, sizeof(*event)))) {
		KT_TRY(give_out(order, instance, event));
		kt_pending_drop(&instance->pending);
	}
	return KT_OK;
}

static int end_instance(struct kt_event_order *order, struct instance *instance)
{
	order->totals->cut_ends +=
		!instance->instance->numbers.ended && !instance->instance->dropped;
	instance->over = true;
	KT_TRY(release(order, instance, 0));
	kt_pending_clear(&instance->pending);
	return KT_OK;
}

/* --- input --- */

/*
 * Handles the first event of an instance: the previous instance of the same origin is over.
 */
static int begin_instance(struct kt_event_order *order, const struct kt_instance *instance)
{
	KT_TRY(kt_array_reserve(&order->instances, &order->instances_capacity,
				instance->index + 1));
	while (order->n_instances <= instance->index) {
		order->instances[order->n_instances++] =
			(struct instance){.instance = NULL};
	}
	order->instances[instance->index].instance = instance;
	order->totals->processes += !instance->dropped;
	return instance->before
		       ? end_instance(order, &order->instances[instance->before->index])
		       : KT_OK;
}

int kt_event_order_add(struct kt_event_order *order, const struct kt_queued *event)
{
	const struct kt_instance *instance = event->instance;
	struct instance *ordered;

	if (instance->index >= order->n_instances ||
	    !order->instances[instance->index].instance) {
		KT_TRY(begin_instance(order, instance));
	}
	if (instance->dropped) {
		return KT_OK;
	}
	ordered = &order->instances[instance->index];
	if (instance->origin.no_seq || event->seq < ordered->pending.next ||
	    kt_pending_is_next(&ordered->pending, event->seq)) {
		/*
		 * This late event was counted as lost when an event with a higher number
		 * passed, so it is subtracted again.
		 */
		order->totals->lost -= !instance->origin.no_seq &&
				       event->seq < ordered->pending.next &&
				       order->totals->lost > 0;
		KT_TRY(give_out(order, ordered, event));
	} else {
		KT_TRY(kt_pending_add(&ordered->pending, event, sizeof(*event)));
	}
	/* Takes a reference to the message only now that the event is queued. */
	bt_message_get_ref(event->message);
	return release(order, ordered, KT_EVENTS_WINDOW);
}

int kt_event_order_pass(struct kt_event_order *order, int64_t now)
{
	for (size_t i = 0; i < order->n_instances; i++) {
		struct instance *instance = &order->instances[i];
		const struct kt_pending *pending = &instance->pending;
		const struct kt_queued *first;

		while (pending->n > 0) {
			first = kt_pending_at(pending, 0, sizeof(*first));
			if (first->time >= now - KT_STREAM_PATIENCE) {
				break;
			}
			KT_TRY(give_out(order, instance, first));
			kt_pending_drop(&instance->pending);
			KT_TRY(release(order, instance, KT_EVENTS_WINDOW));
		}
	}
	return KT_OK;
}

int kt_event_order_end(struct kt_event_order *order)
{
	for (size_t i = 0; i < order->n_instances; i++) {
		if (order->instances[i].instance && !order->instances[i].over) {
			KT_TRY(end_instance(order, &order->instances[i]));
		}
	}
	return KT_OK;
}
