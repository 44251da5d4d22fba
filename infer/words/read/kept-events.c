/* SPDX-License-Identifier: MIT */
#include "infer/words/read/kept-events.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

#define BLOCK_BYTES ((size_t)1 << 20)

struct kept_event {
	const struct kt_instance *instance;  /* Weak */
	const struct kt_event_class *class_; /* Weak */
	int64_t time;
	uint64_t seq;
	uint32_t tid;
	/* size of this struct and the copy of the fields after it, in units of 8 bytes */
	uint32_t units;
};

struct kt_kept_block {
	struct kt_kept_block *next; /* Owned by this; NULL: none */
	size_t used;                /* bytes */
	size_t capacity;
	_Alignas(8) char bytes[];
};

/* Reserves `size` bytes, not initialised, for an event and its fields. */
static struct kept_event *allocate(struct kt_kept_events *kept, size_t size)
{
	struct kt_kept_block *block = kept->last;
	void *event;

	if (!block || size > block->capacity - block->used) {
		const size_t capacity = size < BLOCK_BYTES ? BLOCK_BYTES : size;

		block = malloc(sizeof(*block) + capacity);
		if (!block) {
			return NULL;
		}
		*block = (struct kt_kept_block){.capacity = capacity};
		*(kept->last ? &kept->last->next : &kept->first) = block;
		kept->last = block;
	}
	event = block->bytes + block->used;
	block->used += size;
	return event;
}

int kt_kept_events_add(struct kt_kept_events *kept, const struct kt_event_head *head,
		       const struct kt_instance *instance)
{
	const struct kt_event_class *c = head->class_;
	struct kept_event *event;
	size_t size;

	KT_TRY(kt_array_reserve(&kept->fields, &kept->fields_capacity, c->fields_size + 1));
	kt_fields_read(&kept->buffer, c, &head->payload, kept->fields);
	size = (sizeof(*event) + kt_fields_size(c, kept->fields) + 7) / 8 * 8;
	event = size / 8 <= UINT32_MAX ? allocate(kept, size) : NULL;
	if (!event) {
		return kt_no_memory("keep events");
	}
	*event = (struct kept_event){.instance = instance,
				     .class_ = c,
				     .time = head->time,
				     .seq = head->seq,
				     .tid = head->tid,
				     .units = (uint32_t)(size / 8)};
	kt_fields_copy(c, event + 1, kept->fields);
	return KT_OK;
}

bool kt_kept_events_next(const struct kt_kept_events *kept,
			 struct kt_kept_position *position, struct kt_queued *out)
{
	const struct kept_event *event;

	if (!position->block) {
		position->block = kept->first;
	} else if (position->at == position->block->used) {
		*position = (struct kt_kept_position){.block = position->block->next};
	}
	if (!position->block) {
		return false;
	}
	event = (const void *)(position->block->bytes + position->at);
	position->at += (size_t)event->units * 8;
	*out = (struct kt_queued){.seq = event->seq,
				  .fields = event + 1,
				  .class_ = event->class_,
				  .instance = event->instance,
				  .time = event->time,
				  .tid = event->tid};
	return true;
}

void kt_kept_events_free(struct kt_kept_events *kept)
{
	while (kept->first) {
		struct kt_kept_block *next = kept->first->next;

		free(kept->first);
		kept->first = next;
	}
	free(kept->buffer.words);
	free(kept->fields);
	*kept = (struct kt_kept_events){.first = NULL};
}
