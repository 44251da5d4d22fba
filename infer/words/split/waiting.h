/* SPDX-License-Identifier: MIT */
/*
 * Events of one process that wait for one before them, ascending by sequence number. The
 * pull iterator (events.h) waits with references to messages, a collector with a listener
 * with records; one that keeps all records sorts them when all have come.
 */
#ifndef KTAIL_WORDS_WAITING_H
#define KTAIL_WORDS_WAITING_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* All zero: none wait. What they own is the caller's. */
struct kt_waiting {
	char *items;  /* Owned by this; each begins with its number, a uint64_t */
	size_t first; /* of those that wait; before it there is only room */
	size_t n;
	size_t capacity; /* bytes */
};

/* The i-th one, of `size` bytes as all are; valid until the next is added. */
static inline void *kt_waiting_at(const struct kt_waiting *waiting, size_t i, size_t size)
{
	return waiting->items + (waiting->first + i) * size;
}

/* Adds one; KT_E_MEMORY. Amortised O(1) for what comes in order. */
static inline int kt_waiting_add(struct kt_waiting *w, const void *item, size_t size)
{
	uint64_t number;
	size_t at = w->n;
	int code;

	/* The room in front is used again once fewer have to move than left it. */
	if (w->first > w->n) {
		memmove(w->items, kt_waiting_at(w, 0, size), w->n * size);
		w->first = 0;
	}
	code = kt_array_reserve(&w->items, &w->capacity, (w->first + w->n + 1) * size);
	if (code) {
		return code;
	}
	memcpy(&number, item, sizeof(number));
	while (at > 0 && *(uint64_t *)kt_waiting_at(w, at - 1, size) > number) {
		at--;
	}
	memmove(kt_waiting_at(w, at + 1, size), kt_waiting_at(w, at, size),
		(w->n - at) * size);
	memcpy(kt_waiting_at(w, at, size), item, size);
	w->n++;
	return KT_OK;
}

/* The first one waits no more. */
static inline void kt_waiting_drop(struct kt_waiting *waiting)
{
	waiting->first++;
	waiting->n--;
}

static inline void kt_waiting_free(struct kt_waiting *waiting)
{
	free(waiting->items);
	*waiting = (struct kt_waiting){.items = NULL};
}

#endif
