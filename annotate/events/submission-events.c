/* SPDX-License-Identifier: MIT */
#include "annotate/events/submission-events.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/event-slots.h"
#include "annotate/events/slots.h"

struct kt_doorbell_fields kt_doorbell_fields(const struct kt_event *event)
{
	return (struct kt_doorbell_fields){
		.known = kt_slot_number(event, KT_SLOT_DOORBELL_KNOWN) != 0,
		.value = kt_slot_number32(event, KT_SLOT_DOORBELL_VALUE),
		.moved = kt_slot_number32(event, KT_SLOT_DOORBELL_MOVED),
		.channel = kt_slot_number32(event, KT_SLOT_DOORBELL_CHANNEL),
		.gp_put = kt_slot_number32(event, KT_SLOT_DOORBELL_GP_PUT),
		.by = kt_slot_text(event, KT_SLOT_DOORBELL_BY),
		.space = kt_slot_text(event, KT_SLOT_DOORBELL_SPACE),
		.mapping = kt_slot_number32(event, KT_SLOT_DOORBELL_MAPPING),
		.offset = kt_slot_number(event, KT_SLOT_DOORBELL_OFFSET),
	};
}

struct kt_entry_fields kt_entry_fields(const struct kt_event *event)
{
	return (struct kt_entry_fields){
		.client = kt_slot_number32(event, KT_SLOT_ENTRY_CLIENT),
		.channel = kt_slot_number32(event, KT_SLOT_ENTRY_CHANNEL),
		.class_number = kt_slot_number32(event, KT_SLOT_ENTRY_CLASS),
		.index = kt_slot_number32(event, KT_SLOT_ENTRY_INDEX),
		.entry = kt_slot_number(event, KT_SLOT_ENTRY_ENTRY),
		.address = kt_slot_number(event, KT_SLOT_ENTRY_ADDRESS),
		.words = kt_slot_number32(event, KT_SLOT_ENTRY_WORDS),
		.found = strcmp(kt_slot_text(event, KT_SLOT_ENTRY_STATE), "found") == 0,
		.unread = kt_slot_text(event, KT_SLOT_ENTRY_UNREAD),
	};
}

int kt_words_fields(struct kt_words_fields *out, const struct kt_event *event)
{
	*out = (struct kt_words_fields){
		.client = kt_slot_number32(event, KT_SLOT_WORDS_CLIENT),
		.channel = kt_slot_number32(event, KT_SLOT_WORDS_CHANNEL),
		.index = kt_slot_number32(event, KT_SLOT_WORDS_INDEX),
		.offset = kt_slot_number(event, KT_SLOT_WORDS_OFFSET),
	};
	if (kt_event_words(event, KT_SLOT_WORDS_WORDS, &out->words, &out->n)) {
		return KT_OK;
	}
	return kt_error(KT_E_MALFORMED,
			"read pushbuffer event %" PRIu64 " of process %" PRIu32
			": it has no words",
			event->seq, event->pid);
}

struct kt_object_fields kt_object_fields(const struct kt_event *event)
{
	const char *action = kt_slot_text(event, KT_SLOT_OBJECT_ACTION);

	return (struct kt_object_fields){
		.freed = strcmp(action, "free") == 0,
		.duplicated = strcmp(action, "dup") == 0,
		.object =
			{
				.client = kt_slot_number32(event, KT_SLOT_OBJECT_CLIENT),
				.parent = kt_slot_number32(event, KT_SLOT_OBJECT_PARENT),
				.handle = kt_slot_number32(event, KT_SLOT_OBJECT_OBJECT),
				.class_number =
					kt_slot_number32(event, KT_SLOT_OBJECT_CLASS),
			},
	};
}
