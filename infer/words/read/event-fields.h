/* SPDX-License-Identifier: MIT */
/* Where the fields of an event are. Not for users of infer/words/read/events.h. */
#ifndef KTAIL_WORDS_EVENT_FIELDS_H
#define KTAIL_WORDS_EVENT_FIELDS_H

#include "infer/words/read/event-class.h"
#include "infer/words/read/events.h"

/* A field of an event's payload. */
struct kt_event_field {
	struct kt_member member; /* of a sequence only its index is of use */
	bool numbers;            /* a sequence of unsigned numbers */
	bool words;              /* of at most 32 bits */
};

/* An event class, of ours or not, and where the fields are that are asked for. */
struct kt_event_layout {
	struct kt_event_class of;
	struct kt_event_field *fields; /* Owned by this: one for each slot */
};

/* What the fields of the event in hand are read with. */
struct kt_event_source {
	const struct kt_event_layout *layout; /* Weak */
	const bt_field *payload;              /* Weak */
	size_t n_slots;
	uint32_t *words; /* Owned by this: of the sequence asked for last */
	size_t words_capacity;
};

/* KT_E_MALFORMED if an event of ours has no pid. */
int kt_event_layout_bind(struct kt_event_layout *out, const bt_event_class *class_,
			 const struct kt_events_options *options);
void kt_event_layout_release(struct kt_event_layout *layout);

#endif
