/* SPDX-License-Identifier: MIT */
#include "annotate/submission-events.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/slots.h"

enum slot {
	DOORBELL_KNOWN,
	DOORBELL_VALUE,
	DOORBELL_MOVED,
	DOORBELL_CHANNEL,
	DOORBELL_GP_PUT,
	ENTRY_CLIENT,
	ENTRY_CHANNEL,
	ENTRY_CLASS,
	ENTRY_INDEX,
	ENTRY_ENTRY,
	ENTRY_ADDRESS,
	ENTRY_WORDS,
	ENTRY_STATE,
	ENTRY_UNREAD,
	WORDS_CLIENT,
	WORDS_CHANNEL,
	WORDS_INDEX,
	WORDS_OFFSET,
	WORDS_WORDS,
	OBJECT_ACTION,
	OBJECT_CLIENT,
	OBJECT_PARENT,
	OBJECT_OBJECT,
	OBJECT_CLASS,
	SLOTS,
};

static const struct kt_event_slot slots[SLOTS] = {
	[DOORBELL_KNOWN] = {"doorbell", "known"},
	[DOORBELL_VALUE] = {"doorbell", "value"},
	[DOORBELL_MOVED] = {"doorbell", "moved"},
	[DOORBELL_CHANNEL] = {"doorbell", "channel"},
	[DOORBELL_GP_PUT] = {"doorbell", "gp_put"},
	[ENTRY_CLIENT] = {"gpfifo_entry", "client"},
	[ENTRY_CHANNEL] = {"gpfifo_entry", "channel"},
	[ENTRY_CLASS] = {"gpfifo_entry", "class"},
	[ENTRY_INDEX] = {"gpfifo_entry", "index"},
	[ENTRY_ENTRY] = {"gpfifo_entry", "entry"},
	[ENTRY_ADDRESS] = {"gpfifo_entry", "address"},
	[ENTRY_WORDS] = {"gpfifo_entry", "words"},
	[ENTRY_STATE] = {"gpfifo_entry", "state"},
	[ENTRY_UNREAD] = {"gpfifo_entry", "unread"},
	[WORDS_CLIENT] = {"pushbuffer", "client"},
	[WORDS_CHANNEL] = {"pushbuffer", "channel"},
	[WORDS_INDEX] = {"pushbuffer", "index"},
	[WORDS_OFFSET] = {"pushbuffer", "offset"},
	[WORDS_WORDS] = {"pushbuffer", "words"},
	[OBJECT_ACTION] = {"object", "action"},
	[OBJECT_CLIENT] = {"object", "client"},
	[OBJECT_PARENT] = {"object", "parent"},
	[OBJECT_OBJECT] = {"object", "object"},
	[OBJECT_CLASS] = {"object", "class"},
};

const struct kt_events_options kt_submission_events = {slots, SLOTS};

struct kt_doorbell_fields kt_doorbell_fields(const struct kt_event *event)
{
	return (struct kt_doorbell_fields){
		.known = kt_slot_number(event, DOORBELL_KNOWN) != 0,
		.value = kt_slot_number32(event, DOORBELL_VALUE),
		.moved = kt_slot_number32(event, DOORBELL_MOVED),
		.channel = kt_slot_number32(event, DOORBELL_CHANNEL),
		.gp_put = kt_slot_number32(event, DOORBELL_GP_PUT),
	};
}

struct kt_entry_fields kt_entry_fields(const struct kt_event *event)
{
	return (struct kt_entry_fields){
		.client = kt_slot_number32(event, ENTRY_CLIENT),
		.channel = kt_slot_number32(event, ENTRY_CHANNEL),
		.class_number = kt_slot_number32(event, ENTRY_CLASS),
		.index = kt_slot_number32(event, ENTRY_INDEX),
		.entry = kt_slot_number(event, ENTRY_ENTRY),
		.address = kt_slot_number(event, ENTRY_ADDRESS),
		.words = kt_slot_number32(event, ENTRY_WORDS),
		.found = strcmp(kt_slot_text(event, ENTRY_STATE), "found") == 0,
		.unread = kt_slot_text(event, ENTRY_UNREAD),
	};
}

int kt_words_fields(struct kt_words_fields *out, const struct kt_event *event)
{
	*out = (struct kt_words_fields){
		.client = kt_slot_number32(event, WORDS_CLIENT),
		.channel = kt_slot_number32(event, WORDS_CHANNEL),
		.index = kt_slot_number32(event, WORDS_INDEX),
		.offset = kt_slot_number(event, WORDS_OFFSET),
	};
	if (kt_event_words(event, WORDS_WORDS, &out->words, &out->n)) {
		return KT_OK;
	}
	return kt_error(KT_E_MALFORMED,
			"read pushbuffer event %" PRIu64 " of process %" PRIu32
			": it has no words",
			event->seq, event->pid);
}

struct kt_object_fields kt_object_fields(const struct kt_event *event)
{
	return (struct kt_object_fields){
		.freed = strcmp(kt_slot_text(event, OBJECT_ACTION), "free") == 0,
		.object =
			{
				.client = kt_slot_number32(event, OBJECT_CLIENT),
				.parent = kt_slot_number32(event, OBJECT_PARENT),
				.handle = kt_slot_number32(event, OBJECT_OBJECT),
				.class_number = kt_slot_number32(event, OBJECT_CLASS),
			},
	};
}
