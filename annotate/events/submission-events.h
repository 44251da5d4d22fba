/* SPDX-License-Identifier: MIT */
/* What the events say of which submissions.c makes submissions: their fields. */
#ifndef KTAIL_ANNOTATE_SUBMISSION_EVENTS_H
#define KTAIL_ANNOTATE_SUBMISSION_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/commands/channels.h"
#include "infer/words/read/events.h"

/* The trace must be open with kt_annotate_events (event-slots.h). */

/* Fields that an event lacks are 0, false or "". */

struct kt_doorbell_fields {
	bool known;
	uint32_t value;
	uint32_t moved;
	uint32_t channel;
	uint32_t gp_put;
	const char *by;    /* Weak: the event's, valid as long as that */
	const char *space; /* likewise */
	uint32_t mapping;
	uint64_t offset; /* from the start of the mapping */
};

struct kt_doorbell_fields kt_doorbell_fields(const struct kt_event *event);

struct kt_entry_fields {
	uint32_t client;
	uint32_t channel;
	uint32_t class_number;
	uint32_t index;
	uint64_t entry;
	uint64_t address;
	uint32_t words;
	bool found;
	const char *unread; /* Weak: the event's */
};

struct kt_entry_fields kt_entry_fields(const struct kt_event *event);

struct kt_words_fields {
	uint32_t client;
	uint32_t channel;
	uint32_t index;
	uint64_t offset;
	const uint32_t *words; /* Weak: the event's */
	size_t n;
};

/* KT_E_MALFORMED if the event has no words at all, which is not the same as none. */
int kt_words_fields(struct kt_words_fields *out, const struct kt_event *event);

struct kt_object_fields {
	bool freed;
	bool duplicated; /* "dup" */
	struct kt_engine_object object;
};

struct kt_object_fields kt_object_fields(const struct kt_event *event);

#endif
