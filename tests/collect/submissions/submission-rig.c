/* SPDX-License-Identifier: MIT */
#include "tests/collect/submissions/submission-rig.h"

#include <string.h>

#include "collect/preload/emit/emit.h"

struct kt_rig kt_rig;

void kt_rig_clear(void)
{
	kt_rig.n = 0;
	kt_rig.n_words = 0;
	kt_rig.wrong = 0;
	kt_rig.doorbells = 0;
	kt_rig.small = 0;
}

void kt_emit_gpfifo_entry(const struct kt_event_gpfifo_entry *event)
{
	if (kt_rig.n < RIG_ENTRIES) {
		kt_rig.entries[kt_rig.n] =
			(struct rig_entry){.event = *event, .first = kt_rig.n_words};
	}
	kt_rig.n++;
}

/* Commands must follow their entry, in order, in one or more parts. */
void kt_emit_pushbuffer(const struct kt_event_pushbuffer *event)
{
	struct rig_entry *entry =
		&kt_rig.entries[(kt_rig.n ? kt_rig.n - 1 : 0) % RIG_ENTRIES];

	if (kt_rig.n == 0 || event->count == 0) {
		kt_rig.wrong++;
		return;
	}
	if (kt_rig.n <= RIG_ENTRIES) {
		kt_rig.wrong +=
			event->channel != entry->event.channel ||
			event->index != entry->event.index ||
			event->offset != entry->count ||
			event->address != entry->event.address + 4ull * event->offset;
		entry->count += event->count;
		entry->parts++;
	}
	if (kt_rig.n_words + event->count <= RIG_WORDS) {
		memcpy(&kt_rig.words[kt_rig.n_words], event->words, event->count * 4ul);
	}
	kt_rig.n_words += event->count;
}

/* A doorbell's event must precede those of its entries. */
void kt_emit_doorbell(const struct kt_event_doorbell *event)
{
	(void)event;
	kt_rig.wrong += kt_rig.n > 0;
	kt_rig.doorbells++;
}

/*
 * Counts the event as the events that it replaces: those of the doorbell, its entries and
 * their dwords.
 */
void kt_emit_submission(const struct kt_event_submission *event)
{
	uint32_t first = 0;

	kt_rig.small++;
	kt_emit_doorbell(event->doorbell);
	for (uint32_t i = 0; i < event->n; i++) {
		const struct kt_event_gpfifo_entry entry = {
			.client = event->client,
			.channel = event->doorbell->channel,
			.class_ = event->class_,
			.index = event->indexes[i],
			.entry = event->entries[i],
			.address = event->addresses[i],
			.words = event->lengths[i],
			.state = "submitted",
			.unread = "",
		};
		const struct kt_event_pushbuffer words = {
			.client = event->client,
			.channel = event->doorbell->channel,
			.index = event->indexes[i],
			.address = event->addresses[i],
			.count = event->lengths[i],
			.words = event->words + first,
		};

		kt_emit_gpfifo_entry(&entry);
		if (words.count > 0) {
			kt_emit_pushbuffer(&words);
		}
		first += words.count;
	}
	kt_rig.wrong += first != event->count;
}
