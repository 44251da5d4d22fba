/* SPDX-License-Identifier: MIT */
/*
 * Keeps the events of a trace in order of arrival, so that they can be read several times,
 * and read only after the source of each process was chosen. An event takes 40 bytes plus
 * the struct of its shape and the texts and dwords in it. Internal: users include events.h.
 */
#ifndef KTAIL_WORDS_KEPT_EVENTS_H
#define KTAIL_WORDS_KEPT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/read/event-order.h"
#include "infer/words/read/read-fields.h"

struct kt_kept_block;

/* If all members are zero, there are no events. */
struct kt_kept_events {
	struct kt_kept_block *first; /* Owned by this, with all blocks after it */
	struct kt_kept_block *last;  /* Weak */
	struct kt_fields_buffer buffer;
	char *fields; /* Owned by this: struct of the event that is being added */
	size_t fields_capacity;
};

/* If all members are zero, the position is before the first event. */
struct kt_kept_position {
	const struct kt_kept_block *block; /* Weak */
	size_t at;                         /* offset in the block, in bytes */
};

/*
 * Keeps a gpu_stack event, whose class and process instance must outlive `kept`.
 * KT_E_MEMORY. O(size of the event).
 */
int kt_kept_events_add(struct kt_kept_events *kept, const struct kt_event_head *head,
		       const struct kt_instance *instance);

/*
 * Writes the next event in order of arrival, with the message NULL, to *out. Returns false
 * at the end; a further call would begin again with the first event.
 */
bool kt_kept_events_next(const struct kt_kept_events *kept,
			 struct kt_kept_position *position, struct kt_queued *out);

void kt_kept_events_free(struct kt_kept_events *kept);

#endif
