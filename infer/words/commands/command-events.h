/* SPDX-License-Identifier: MIT */
/*
 * What the alphabets of commands keep of a trace's events until each process's are in
 * order: a few numbers an event, and all words of pushbuffers.
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
	uint32_t object; /* handle: of the channel, but OBJECT */
	union {
		struct {
			bool known;
			uint32_t value;
			uint32_t moved;
		} doorbell;
		struct {
			uint32_t class_number; /* of the channel */
			uint32_t index;
			uint32_t words;
			bool found;
			bool unread;
		} entry;
		struct {
			uint32_t index;
			uint32_t offset;
			uint32_t n;
			size_t at;     /* in the pool of words */
			uint32_t *own; /* Owned by this: instead, of a stream */
		} words;
		struct {
			uint32_t parent;
			uint32_t class_number;
			bool alloc; /* a new object, not a second handle of one */
			bool freed;
		} allocation;
		struct {
			uint64_t address;
			uint64_t length;
			uint32_t mapping;
		} map;
		struct {
			uint64_t offset;
			uint32_t mapping;
		} read;
	};
};

/* All zero: none, and all will be kept. */
struct kt_command_events {
	bool streams;     /* each is forgotten once it was spelled */
	uint32_t *vacant; /* of a stream: numbers of events that were forgotten */
	size_t n_vacant;
	size_t vacant_capacity;
	struct kt_command_event *events;
	size_t n;
	size_t capacity;
	uint32_t *words;
	size_t n_words;
	size_t words_capacity;
};

/*
 * Keeps an event, whose fields (the slots of kt_alphabet_find()) are values[], and words,
 * of a pushbuffer, its sequence. *number is that of the event from 1; 0: it was of no
 * interest.
 */
int kt_command_events_add(struct kt_command_events *events,
			  const struct kt_event_rules *rules, const struct kt_value *values,
			  const bt_field *words, uint32_t *number);

/* The words of an event of that kind. */
static inline const uint32_t *kt_command_words(const struct kt_command_events *events,
					       const struct kt_command_event *event)
{
	return events->streams ? event->words.own : events->words + event->words.at;
}

/* Of a stream: the event of that number is not needed any more; 0 is none. */
void kt_command_events_forget(struct kt_command_events *events, uint32_t number);
void kt_command_events_free(struct kt_command_events *events);

#endif
