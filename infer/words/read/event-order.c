/* SPDX-License-Identifier: MIT */
#include "infer/words/read/event-order.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/read/events.h"
#include "infer/words/split/sides.h"
#include "infer/words/split/waiting.h"

/* The events of one life. */
struct process {
	struct kt_life life;    /* first */
	bool over;              /* another one follows it */
	bool started;           /* an event has come out */
	uint64_t next;          /* the number that comes out next */
	struct kt_waiting held; /* struct kt_queued, each with its reference */
};

struct kt_event_order {
	struct kt_collect_totals *totals; /* Weak */
	struct kt_lives lives;            /* each a struct process */
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
	(*out)->lives.size = sizeof(struct process);
	return KT_OK;
}

static void free_lives(struct kt_event_order *order)
{
	for (size_t i = 0; i < order->lives.n; i++) {
		struct process *p = (struct process *)order->lives.items[i];

		for (size_t j = 0; j < p->held.n; j++) {
			const struct kt_queued *event =
				kt_waiting_at(&p->held, j, sizeof(*event));

			bt_message_put_ref(event->message);
		}
		kt_waiting_free(&p->held);
	}
	kt_lives_free(&order->lives);
}

void kt_event_order_free(struct kt_event_order *order)
{
	if (!order) {
		return;
	}
	for (size_t i = order->taken; i < order->n_ready; i++) {
		bt_message_put_ref(order->ready[i].message);
	}
	free_lives(order);
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
	if (p->life.origin.no_seq || event->seq >= p->next) {
		p->next = event->seq + 1;
	}
	p->started = true;
	return KT_OK;
}

/*
 * Gives out what need not wait: while too many wait, or none may any more, the first one of
 * them does not. On failure nothing is lost: they are still held.
 */
static int release(struct kt_event_order *order, struct process *p, size_t room)
{
	while (p->held.n > 0) {
		const struct kt_queued *event = kt_waiting_at(&p->held, 0, sizeof(*event));

		if (event->seq > p->next && p->held.n <= room) {
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

static int end_life(struct kt_event_order *order, struct process *p)
{
	order->totals->cut_ends += !p->life.numbers.ended && !p->life.dropped;
	p->over = true;
	KT_TRY(release(order, p, 0));
	kt_waiting_free(&p->held);
	return KT_OK;
}

/* --- in --- */

int kt_event_order_add(struct kt_event_order *order, const struct kt_origin *origin,
		       const struct kt_queued *event, struct kt_life **out)
{
	struct kt_queued own = *event;
	struct kt_arrival arrival;
	struct kt_life *life;
	struct process *p;

	KT_TRY(kt_lives_take(&order->lives, origin, event->seq, event->kind, event->time,
			     &arrival));
	*out = life = arrival.life;
	if (arrival.opens) {
		life->dropped =
			life->index < order->n_dropped && order->dropped[life->index];
		life->number = order->totals->processes;
		order->totals->processes += !life->dropped;
	}
	if (arrival.ends) {
		KT_TRY(end_life(order, (struct process *)arrival.ends));
	}
	if (order->surveys || life->dropped) {
		return KT_OK;
	}
	own.life = life;
	p = (struct process *)life;
	if (life->origin.no_seq || (own.seq == p->next && p->held.n == 0)) {
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
	for (size_t i = 0; i < order->lives.n; i++) {
		struct process *p = (struct process *)order->lives.items[i];

		if (!p->over) {
			KT_TRY(end_life(order, p));
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
	size_t n = order->lives.n;

	order->dropped = calloc(n + 1, sizeof(*order->dropped));
	if (!order->dropped) {
		return kt_no_memory("read events");
	}
	KT_TRY(kt_sides_choose(order->lives.items, n, source));
	for (size_t i = 0; i < n; i++) {
		order->dropped[i] = order->lives.items[i]->dropped;
	}
	order->n_dropped = n;
	order->surveys = false;
	free_lives(order);
	memset(order->totals, 0, sizeof(*order->totals));
	return KT_OK;
}
