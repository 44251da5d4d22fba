/* SPDX-License-Identifier: MIT */
/*
 * Keeps events for alphabets that are code, until the events of each process are in order.
 * Keeps a few numbers of each event, and all dwords of pushbuffers.
 */
#ifndef KTAIL_WORDS_COMMAND_EVENTS_H
#define KTAIL_WORDS_COMMAND_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

#include "infer/words/alphabet/command-fields.h"
#include "infer/words/alphabet/letters.h"

struct kt_command_event {
	enum kt_command_event_kind kind;
	uint32_t client;
	uint32_t object; /* handle of the channel; for KT_COMMAND_OBJECT, handle of the
			  * object */
	union {
		struct {
			bool known;
			uint32_t value;
			uint32_t moved;
		} doorbell;
		struct {
			uint32_t class_number; /* class of the channel */
			uint32_t index;
			uint32_t words;
			bool found;
			bool unread;
			uint64_t address; /* only with `roles` */
		} entry;
		struct {
			uint32_t index;
			uint32_t offset;
			uint32_t n;
			/*
			 * if not streaming: index of the first dword in the pool,
			 * kt_command_events.words
			 */
			size_t at;
			/* Owned by this; if streaming: the dwords */
			uint32_t *own;
		} words;
		struct {
			uint32_t parent;
			uint32_t class_number;
			/* a new object, not a second handle of an existing one */
			bool alloc;
			bool freed;
		} allocation;
		struct {
			uint64_t address;
			uint64_t length;
			uint32_t mapping;
			/* used only with `roles`; `space` is truncated */
			uint32_t class_number;
			char space[8];
		} map;
		struct {
			uint64_t offset;
			uint32_t mapping;
			bool write;
			char role[7]; /* as recorded, truncated; "": not recorded */
		} access;
		struct {
			uint64_t length;
			uint32_t mapping;
		} unmap;
	};
};

/* If all members are zero, there are no events, and the struct is not streaming. */
struct kt_command_events {
	bool streams;     /* "streaming": each event is forgotten once it is encoded */
	uint32_t *vacant; /* when streaming: numbers of forgotten events, for reuse */
	size_t n_vacant;
	size_t vacant_capacity;
	struct kt_command_event *events;
	size_t n;
	size_t capacity;
	uint32_t *words;
	size_t n_words;
	size_t words_capacity;
	bool without_roles; /* with `roles`: the role of an access was not recorded */
};

/* The dwords of a pushbuffer event: elements [first, first + n) of `sequence`. */
struct kt_command_words {
	const bt_field *sequence; /* Weak; NULL: none, and n is 0 */
	uint64_t first;
	uint64_t n;
};

/*
 * Keeps an event. values[] holds its fields by the slots of kt_alphabet_find(); `words`
 * holds the dwords of a pushbuffer event; `roles` says that the alphabet is `roles`, which
 * also needs writes. *number becomes the number of the event, from 1,
 * or 0 if the event is not needed and was not kept.
 */
int kt_command_events_add(struct kt_command_events *events,
			  const struct kt_event_rules *rules, const struct kt_value *values,
			  const struct kt_command_words *words, bool roles,
			  uint32_t *number);

/* Returns the dwords of a pushbuffer event. */
static inline const uint32_t *kt_command_words(const struct kt_command_events *events,
					       const struct kt_command_event *event)
{
	return events->streams ? event->words.own : events->words + event->words.at;
}

/*
 * When streaming, frees the event with that number, so that another event may get the
 * number. When not streaming, or for the number 0, does nothing.
 */
void kt_command_events_forget(struct kt_command_events *events, uint32_t number);
void kt_command_events_free(struct kt_command_events *events);

#endif
