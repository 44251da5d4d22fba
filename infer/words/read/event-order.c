/* SPDX-License-Identifier: MIT */
#include "infer/words/read/event-order.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/words/read/events.h"
#include "infer/words/split/life-numbers.h"
#include "infer/words/split/sides.h"

struct kt_life {
	struct kt_origin origin;
	uint64_t ordinal;   /* among those that come out */
	char *name;         /* Owned by this; NULL: unknown */
	bool certain;       /* its process_begin has said the name */
	bool acts;          /* it has events of the driver */
	bool dropped;       /* taken from the other side */
	uint32_t vpid;      /* 0: not known */
	int64_t first_time; /* of its events, in order of arrival */
	int64_t last_time;
	bool over;                      /* another one follows it */
	struct kt_life_numbers numbers; /* of those that came in */
	bool started;                   /* an event has come out */
	uint64_t next;                  /* the number that comes out next */
	struct kt_queued *held;         /* Owned by this: wait for lower ones; ascending */
	size_t first;                   /* of these; in front of it there is only room */
	size_t n_held;
	size_t held_capacity;
};

struct kt_event_order {
	struct kt_collect_totals *totals; /* Weak */
	struct kt_life **lives;           /* Owned by this, each as well */
	size_t n_lives;
	size_t lives_capacity;
	size_t last;   /* of the event added last */
	bool surveys;  /* nothing comes out */
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
		return kt_error(KT_E_MEMORY, "read events: out of memory");
	}
	(*out)->totals = totals;
	return KT_OK;
}

static void free_lives(struct kt_event_order *order)
{
	for (size_t i = 0; i < order->n_lives; i++) {
		struct kt_life *life = order->lives[i];

		for (size_t j = 0; j < life->n_held; j++) {
			bt_message_put_ref(life->held[life->first + j].message);
		}
		kt_life_numbers_free(&life->numbers);
		free(life->held);
		free(life->name);
		free(life);
	}
	order->n_lives = order->last = 0;
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
	free(order->lives);
	free(order->ready);
	free(order->dropped);
	free(order);
}

uint64_t kt_life_ordinal(const struct kt_life *life)
{
	return life->ordinal;
}

const char *kt_life_name(const struct kt_life *life)
{
	return life->name ? life->name : "unknown";
}

const struct kt_origin *kt_life_origin(const struct kt_life *life)
{
	return &life->origin;
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
static int give_out(struct kt_event_order *order, struct kt_life *life,
		    const struct kt_queued *event)
{
	int code =
		kt_array_reserve(&order->ready, &order->ready_capacity, order->n_ready + 1);

	if (code) {
		return code;
	}
	order->ready[order->n_ready++] = *event;
	if (life->origin.no_seq || event->seq >= life->next) {
		life->next = event->seq + 1;
	}
	life->started = true;
	return KT_OK;
}

/* What is missing in front of an event that will not wait any longer. */
static void count_gap(struct kt_event_order *order, const struct kt_life *life,
		      const struct kt_queued *event)
{
	if (!life->started) {
		order->totals->cut_begins += event->seq != 0;
	} else if (event->seq > life->next) {
		order->totals->lost =
			kt_lost_add(order->totals->lost, event->seq - life->next);
	}
}

/*
 * Gives out what need not wait: while too many wait, or none may any more, the first one of
 * them does not. On failure nothing is lost: they are still held.
 */
static int release(struct kt_event_order *order, struct kt_life *life, size_t room)
{
	int code = KT_OK;

	while (!code && life->n_held > 0) {
		const struct kt_queued *event = &life->held[life->first];

		if (event->seq > life->next && life->n_held <= room) {
			break;
		}
		count_gap(order, life, event);
		code = give_out(order, life, event);
		life->first += !code;
		life->n_held -= !code;
	}
	return code;
}

/* --- lives --- */

static bool same_origin(const struct kt_origin *a, const struct kt_origin *b)
{
	return a->pid == b->pid && a->trace == b->trace && a->kernel == b->kernel;
}

static int add_life(struct kt_event_order *order, const struct kt_origin *origin,
		    struct kt_life **out)
{
	struct kt_life *life = calloc(1, sizeof(*life));
	int code = life ? kt_array_reserve(&order->lives, &order->lives_capacity,
					   order->n_lives + 1)
			: kt_error(KT_E_MEMORY, "read events: out of memory");

	if (code) {
		free(life);
		return code;
	}
	life->origin = *origin;
	life->first_time = INT64_MAX;
	life->dropped = order->n_lives < order->n_dropped && order->dropped[order->n_lives];
	life->ordinal = order->totals->processes;
	order->totals->processes += !life->dropped;
	order->last = order->n_lives;
	order->lives[order->n_lives++] = life;
	*out = life;
	return KT_OK;
}

/* The life that a process is in; NULL: none yet. */
static struct kt_life *find_life(struct kt_event_order *order,
				 const struct kt_origin *origin)
{
	size_t i = order->n_lives;

	if (order->last < i && !order->lives[order->last]->over &&
	    same_origin(&order->lives[order->last]->origin, origin)) {
		return order->lives[order->last];
	}
	while (i-- > 0) {
		if (!order->lives[i]->over &&
		    same_origin(&order->lives[i]->origin, origin)) {
			order->last = i;
			return order->lives[i];
		}
	}
	return NULL;
}

static int end_life(struct kt_event_order *order, struct kt_life *life)
{
	int code = release(order, life, 0);

	order->totals->cut_ends += !life->numbers.ended && !life->dropped;
	life->over = true;
	kt_life_numbers_free(&life->numbers);
	if (!code) {
		free(life->held);
		life->held = NULL;
		life->held_capacity = 0;
		life->first = 0;
	}
	return code;
}

static int name_life(struct kt_life *life, const struct kt_queued *event, const char *name)
{
	if (!name || (life->name && (life->certain || event->kind != KT_EVENT_BEGIN))) {
		return KT_OK;
	}
	free(life->name);
	life->name = strdup(name);
	life->certain = event->kind == KT_EVENT_BEGIN && *name;
	return life->name ? KT_OK : kt_error(KT_E_MEMORY, "read events: out of memory");
}

/* --- in --- */

/* Uses the room in front again, once fewer events have to move than left it. */
static void close_up(struct kt_life *life)
{
	if (life->first > life->n_held) {
		memmove(life->held, life->held + life->first,
			life->n_held * sizeof(*life->held));
		life->first = 0;
	}
}

/* Puts an event among those that wait, nearly always behind them. */
static int hold(struct kt_life *life, const struct kt_queued *event)
{
	struct kt_queued *at;
	int code;

	close_up(life);
	code = kt_array_reserve(&life->held, &life->held_capacity,
				life->first + life->n_held + 1);
	if (code) {
		return code;
	}
	at = life->held + life->first + life->n_held;
	for (; at > life->held + life->first && at[-1].seq > event->seq; at--) {
		*at = at[-1];
	}
	*at = *event;
	life->n_held++;
	return KT_OK;
}

/* An event that was taken for lost comes after all. */
static int give_late(struct kt_event_order *order, struct kt_life *life,
		     const struct kt_queued *event)
{
	if (order->totals->lost > 0) {
		order->totals->lost--;
	}
	return give_out(order, life, event);
}

/* Takes a reference of the event's message as soon as it is kept. */
static int place(struct kt_event_order *order, struct kt_life *life,
		 const struct kt_queued *event)
{
	int code;

	if (life->origin.no_seq || (event->seq == life->next && life->n_held == 0)) {
		code = give_out(order, life, event);
	} else if (event->seq < life->next) {
		code = give_late(order, life, event);
	} else {
		code = hold(life, event);
	}
	if (code) {
		return code;
	}
	bt_message_get_ref(event->message);
	return release(order, life, KT_EVENTS_WINDOW);
}

/* Finds out which life an event is of. */
static int find_own(struct kt_event_order *order, const struct kt_origin *origin,
		    const struct kt_queued *event, struct kt_life **out)
{
	struct kt_life *life = find_life(order, origin);
	uint64_t seq = kt_life_number(life ? &life->numbers : NULL, origin, event->seq,
				      event->kind);
	bool fits = life;
	int code = KT_OK;

	if (life) {
		code = kt_life_numbers_take(&life->numbers, seq, event->kind, &fits);
	}
	if (!code && !fits) {
		code = life ? end_life(order, life) : KT_OK;
		code = code ? code : add_life(order, origin, &life);
		code = code ? code
			    : kt_life_numbers_take(&life->numbers, seq, event->kind, &fits);
	}
	*out = life;
	return code;
}

/* What a choice of sides will want to know. */
static void note(struct kt_life *life, const struct kt_queued *event)
{
	life->vpid = event->vpid ? event->vpid : life->vpid;
	life->acts = life->acts || event->acts;
	life->first_time = life->first_time < event->time ? life->first_time : event->time;
	life->last_time = event->time;
}

int kt_event_order_add(struct kt_event_order *order, const struct kt_origin *origin,
		       const struct kt_queued *event, const char *name)
{
	struct kt_queued own = *event;
	struct kt_life *life;
	int code = find_own(order, origin, event, &life);

	code = code ? code : name_life(life, event, name);
	if (!code) {
		note(life, event);
	}
	if (!code && !order->surveys && !life->dropped) {
		own.life = life;
		code = place(order, life, &own);
	}
	return code;
}

int kt_event_order_end(struct kt_event_order *order)
{
	int code = KT_OK;

	for (size_t i = 0; i < order->n_lives && !code; i++) {
		if (!order->lives[i]->over) {
			code = end_life(order, order->lives[i]);
		}
	}
	return code;
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
	size_t n = order->n_lives;
	struct kt_sighting *seen = malloc((n + 1) * sizeof(*seen));
	int code = KT_OK;

	order->dropped = calloc(n + 1, sizeof(*order->dropped));
	if (!seen || !order->dropped) {
		free(seen);
		return kt_error(KT_E_MEMORY, "read events: out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		const struct kt_life *life = order->lives[i];

		seen[i] = (struct kt_sighting){.origin = life->origin,
					       .vpid = life->vpid,
					       .name = life->name,
					       .certain = life->certain,
					       .acts = life->acts,
					       .first_time = life->first_time,
					       .last_time = life->last_time};
	}
	code = kt_sides_choose(seen, n, source);
	for (size_t i = 0; i < n && !code; i++) {
		order->dropped[i] = seen[i].dropped;
	}
	free(seen);
	order->n_dropped = n;
	order->surveys = false;
	free_lives(order);
	memset(order->totals, 0, sizeof(*order->totals));
	return code;
}
