/* SPDX-License-Identifier: MIT */
/*
 * The events of a trace, kept as they come, so that they can be told more than once and
 * after it is known which source each process instance is taken from. An event takes 40
 * bytes beside the struct of its shape, its texts and its words. Not for users of events.h.
 */
#ifndef KTAIL_WORDS_KEPT_EVENTS_H
#define KTAIL_WORDS_KEPT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/read/event-order.h"
#include "infer/words/read/read-fields.h"

struct kt_kept_block;

/* All zero: none. */
struct kt_kept_events {
	struct kt_kept_block *first; /* Owned by this, and those after it */
	struct kt_kept_block *last;  /* Weak */
	struct kt_fields_buffer buffer;
	char *fields; /* Owned by this: the struct of the event in hand */
	size_t fields_capacity;
};

/* All zero: before the first event. */
struct kt_kept_position {
	const struct kt_kept_block *block; /* Weak */
	size_t at;                         /* bytes into it */
};

/* Keeps an event of ours; its class and its life outlive it. KT_E_MEMORY. O(its size). */
int kt_kept_events_add(struct kt_kept_events *kept, const struct kt_event_head *head,
		       const struct kt_instance *instance);

/*
 * The next event in order of arrival, without a message; false: there is none, and it is
 * not to be asked for again.
 */
bool kt_kept_events_next(const struct kt_kept_events *kept,
			 struct kt_kept_position *position, struct kt_queued *out);

void kt_kept_events_free(struct kt_kept_events *kept);

#endif
