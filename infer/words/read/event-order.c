/* SPDX-License-Identifier: MIT */
#include "infer/words/read/event-order.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/read/events.h"
#include "infer/words/split/sources.h"
#include "infer/words/split/waiting.h"

/* The events of one life. */
struct process {
	struct kt_instance instance; /* first */
	bool over;                   /* another one follows it */
	bool started;                /* an event has come out */
	uint64_t next;               /* the number that comes out next */
	struct kt_waiting held;      /* struct kt_queued, each with its reference */
};

struct kt_event_order {
	struct kt_collect_totals *totals; /* Weak */
	struct kt_instances instances;    /* each a struct process */
	bool surveys;                     /* nothing comes out */
	bool *dropped; /* Owned by this: by life, after a survey; NULL: none is */
	size_t n_dropped;
	struct kt_queued *ready;
	size_t n_ready;
	size_t ready_capacity;
	size_t taken; /* of ready */
};

int kt_event_order_new(struct kt_event_order **out, struct kt_collect_totals *totals)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		return kt_no_memory("read events");
	}
	(*out)->totals = totals;
	(*out)->instances.size = sizeof(struct process);
	return KT_OK;
}

static void free_instances(struct kt_event_order *order)
{
	for (size_t i = 0; i < order->instances.n; i++) {
		struct process *p = (struct process *)order->instances.items[i];

		for (size_t j = 0; j < p->held.n; j++) {
			const struct kt_queued *event =
				kt_waiting_at(&p->held, j, sizeof(*event));

			bt_message_put_ref(event->message);
		}
		kt_waiting_free(&p->held);
	}
	kt_instances_free(&order->instances);
}

void kt_event_order_free(struct kt_event_order *order)
{
	if (!order) {
		return;
	}
	for (size_t i = order->taken; i < order->n_ready; i++) {
		bt_message_put_ref(order->ready[i].message);
	}
	free_instances(order);
	free(order->ready);
	free(order->dropped);
	free(order);
}

/* --- out --- */

bool kt_event_order_take(struct kt_event_order *order, struct kt_queued *out)
{
	if (order->taken == order->n_ready) {
		order->taken = order->n_ready = 0;
		return false;
	}
	*out = order->ready[order->taken++];
	return true;
}

/* Events given out take their reference with them. */
static int give_out(struct kt_event_order *order, struct process *p,
		    const struct kt_queued *event)
{
	KT_TRY(kt_array_reserve(&order->ready, &order->ready_capacity, order->n_ready + 1));
	order->ready[order->n_ready++] = *event;
	if (p->instance.origin.no_seq || event->seq >= p->next) {
		p->next = event->seq + 1;
	}
	p->started = true;
	return KT_OK;
}

/*
 * Gives out what need not wait: while too many wait, or none may any more, the first one of
 * them does not. On failure nothing is lost: they are still held.
 */
static int release(struct kt_event_order *order, struct process *p, size_t limit)
{
	while (p->held.n > 0) {
		const struct kt_queued *event = kt_waiting_at(&p->held, 0, sizeof(*event));

		if (event->seq > p->next && p->held.n <= limit) {
			break;
		}
		/* What is missing before it will not be waited for any longer. */
		if (!p->started) {
			order->totals->cut_begins += event->seq != 0;
		} else if (event->seq > p->next) {
			order->totals->lost =
				kt_lost_add(order->totals->lost, event->seq - p->next);
		}
		KT_TRY(give_out(order, p, event));
		kt_waiting_drop(&p->held);
	}
	return KT_OK;
}

static int end_instance(struct kt_event_order *order, struct process *p)
{
	order->totals->cut_ends += !p->instance.numbers.ended && !p->instance.dropped;
	p->over = true;
	KT_TRY(release(order, p, 0));
	kt_waiting_free(&p->held);
	return KT_OK;
}

/* --- in --- */

int kt_event_order_add(struct kt_event_order *order, const struct kt_origin *origin,
		       const struct kt_queued *event, struct kt_instance **out)
{
	struct kt_queued own = *event;
	struct kt_arrival arrival;
	struct kt_instance *instance;
	struct process *p;

	KT_TRY(kt_instances_take(&order->instances, origin, event->seq, event->kind,
				 event->time, &arrival));
	*out = instance = arrival.instance;
	if (arrival.opens) {
		instance->dropped = instance->index < order->n_dropped &&
				    order->dropped[instance->index];
		instance->number = order->totals->processes;
		order->totals->processes += !instance->dropped;
	}
	if (arrival.ends) {
		KT_TRY(end_instance(order, (struct process *)arrival.ends));
	}
	if (order->surveys || instance->dropped) {
		return KT_OK;
	}
	own.instance = instance;
	p = (struct process *)instance;
	if (instance->origin.no_seq || (own.seq == p->next && p->held.n == 0)) {
		KT_TRY(give_out(order, p, &own));
	} else if (own.seq < p->next) {
		/* It was taken for lost, and comes after all. */
		order->totals->lost -= order->totals->lost > 0;
		KT_TRY(give_out(order, p, &own));
	} else {
		KT_TRY(kt_waiting_add(&p->held, &own, sizeof(own)));
	}
	/* As soon as the event is kept. */
	bt_message_get_ref(own.message);
	return release(order, p, KT_EVENTS_WINDOW);
}

int kt_event_order_end(struct kt_event_order *order)
{
	for (size_t i = 0; i < order->instances.n; i++) {
		struct process *p = (struct process *)order->instances.items[i];

		if (!p->over) {
			KT_TRY(end_instance(order, p));
		}
	}
	return KT_OK;
}

/* --- sides --- */

void kt_event_order_survey(struct kt_event_order *order)
{
	order->surveys = true;
}

bool kt_event_order_surveys(const struct kt_event_order *order)
{
	return order->surveys;
}

int kt_event_order_choose(struct kt_event_order *order, enum kt_source source)
{
	size_t n = order->instances.n;

	order->dropped = calloc(n + 1, sizeof(*order->dropped));
	if (!order->dropped) {
		return kt_no_memory("read events");
	}
	KT_TRY(kt_sources_choose(order->instances.items, n, source));
	for (size_t i = 0; i < n; i++) {
		order->dropped[i] = order->instances.items[i]->dropped;
	}
	order->n_dropped = n;
	order->surveys = false;
	free_instances(order);
	memset(order->totals, 0, sizeof(*order->totals));
	return KT_OK;
}
