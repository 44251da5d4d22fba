/* SPDX-License-Identifier: MIT */
/*
 * Sorts the events of one process instance by sequence number as they arrive: an event with
 * too high a number is pending until the missing events arrive or the caller gives them up.
 * The iterator of events.h keeps pending events as references to messages, and a collector
 * with a listener keeps them as records. A collector without a listener does not use this:
 * it keeps all records and sorts them at the end.
 */
#ifndef KTAIL_WORDS_PENDING_H
#define KTAIL_WORDS_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/*
 * If all members are zero, there was no event yet. The caller owns what the items point to.
 */
struct kt_pending {
	bool started;  /* an event has passed */
	uint64_t next; /* number expected next */
	char *items; /* Owned by this; each begins with its number, a uint64_t; ascending */
	size_t first; /* index of the first item; the slots before it are free */
	size_t n;
	size_t capacity; /* in bytes */
};

/* Returns the i-th item; all have `size` bytes. Valid until another item is added. */
static inline void *kt_pending_at(const struct kt_pending *pending, size_t i, size_t size)
{
	return pending->items + (pending->first + i) * size;
}

/* Returns whether the event with this number can pass without being added. */
static inline bool kt_pending_is_next(const struct kt_pending *pending, uint64_t number)
{
	return number == pending->next && pending->n == 0;
}

/* Adds an item. KT_E_MEMORY. Amortised O(1) for items in order. */
static inline int kt_pending_add(struct kt_pending *p, const void *item, size_t size)
{
	uint64_t number;
	size_t at = p->n;
	int code;

	/*
	 * Reuse the free slots at the start once there are more of them than items to move.
	 */
	if (p->first > p->n) {
		memmove(p->items, kt_pending_at(p, 0, size), p->n * size);
		p->first = 0;
	}
	code = kt_array_reserve(&p->items, &p->capacity, (p->first + p->n + 1) * size);
	if (code) {
		return code;
	}
	memcpy(&number, item, sizeof(number));
	while (at > 0 && *(uint64_t *)kt_pending_at(p, at - 1, size) > number) {
		at--;
	}
	memmove(kt_pending_at(p, at + 1, size), kt_pending_at(p, at, size),
		(p->n - at) * size);
	memcpy(kt_pending_at(p, at, size), item, size);
	p->n++;
	return KT_OK;
}

/*
 * Returns the first item if no event before it is missing or if more than `window` items
 * are pending, else NULL. The item stays until kt_pending_drop().
 */
static inline void *kt_pending_ready(const struct kt_pending *pending, size_t window,
				     size_t size)
{
	void *first = pending->n > 0 ? kt_pending_at(pending, 0, size) : NULL;

	return first && (pending->n > window || *(uint64_t *)first <= pending->next) ? first
										     : NULL;
}

/*
 * Lets the event with this number pass and returns how many events are missing before it.
 * The result is 0 for the first event, before which the number of missing events is
 * unknown.
 */
static inline uint64_t kt_pending_pass(struct kt_pending *pending, uint64_t number)
{
	const bool ahead = number >= pending->next;
	const uint64_t missing = pending->started && ahead ? number - pending->next : 0;

	pending->started = true;
	pending->next = ahead ? number + 1 : pending->next;
	return missing;
}

/* Removes the first item. */
static inline void kt_pending_drop(struct kt_pending *pending)
{
	pending->first++;
	pending->n--;
}

/* Frees the items; `next` and `started` stay. */
static inline void kt_pending_clear(struct kt_pending *pending)
{
	free(pending->items);
	pending->items = NULL;
	pending->first = pending->n = pending->capacity = 0;
}

#endif
