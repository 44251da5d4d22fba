/* SPDX-License-Identifier: MIT */
#include "collect/preload/submissions/submissions.h"

#include "collect/preload/emit/emit.h"
#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/submissions/channels.h"
#include "collect/preload/submissions/gpu-memory.h"
#include "collect/preload/submissions/ring-stores.h"
#include "decode/gpfifo.h"

#define BATCH      16 /* entries read at once */
#define BASE_SHIFT 40 /* bits of an address that an entry holds */

enum kt_submissions_mode kt_submissions_mode = KT_SUBMISSIONS_WORDS;

static uint32_t part_words = KT_PART_WORDS;

/* Buffer for a part of a segment; protected by the lock. */
static uint32_t part[KT_PART_WORDS_MAX];

void kt_submissions_set_part(uint64_t words)
{
	part_words = words < KT_PART_WORDS_MIN   ? KT_PART_WORDS_MIN
		     : words > KT_PART_WORDS_MAX ? KT_PART_WORDS_MAX
						 : (uint32_t)words;
}

static struct kt_event_gpfifo_entry event_of(const struct kt_channel_work *work,
					     uint32_t index)
{
	return (struct kt_event_gpfifo_entry){
		.client = work->alloc->client,
		.channel = work->alloc->object,
		.class_ = work->alloc->class_,
		.index = index,
		.state = work->found ? "found" : "submitted",
		.unread = "",
	};
}

static void emit_entry(const struct kt_event_gpfifo_entry *event)
{
	kt_emit_gpfifo_entry(event);
	kt_count(&kt_counters->entries);
	if (event->unread[0]) {
		kt_count(&kt_counters->unread);
	}
}

/* --- a segment --- */

/* Copies the next part of [offset, end); returns its number of dwords. */
static uint32_t copy_part(const struct kt_event_gpfifo_entry *entry, uint32_t offset,
			  uint32_t end, const char **why)
{
	uint32_t n = end - offset < part_words ? end - offset : part_words;

	return (uint32_t)(kt_gpu_read(part, entry->address + offset * UINT64_C(4), n * 4,
				      why) /
			  4);
}

/*
 * Emits the entry's event after copying the first part and checking that the rest can be
 * read, since the event must say whether dwords are missing. Fewer dwords than announced
 * follow only if memory vanishes in between; that is counted.
 */
static void emit_segment(struct kt_event_gpfifo_entry *event)
{
	const char *why = "";
	uint32_t end =
		(uint32_t)(kt_gpu_reach(event->address, event->words * UINT64_C(4), &why) /
			   4);
	uint32_t n = copy_part(event, 0, end, &why);
	uint32_t offset = 0;

	event->unread = why;
	emit_entry(event);
	while (n > 0) {
		struct kt_event_pushbuffer part_event = {
			.client = event->client,
			.channel = event->channel,
			.index = event->index,
			.address = event->address + offset * UINT64_C(4),
			.offset = offset,
			.count = n,
			.words = part,
		};

		kt_emit_pushbuffer(&part_event);
		kt_count_many(&kt_counters->words, n);
		offset += n;
		n = offset < end ? copy_part(event, offset, end, &why) : 0;
	}
	if (offset < end && !event->unread[0]) {
		kt_count(&kt_counters->unread);
	}
}

/* --- a ring --- */

static void emit_unread(const struct kt_channel_work *work, uint32_t index, const char *why)
{
	struct kt_event_gpfifo_entry event = event_of(work, index);

	event.unread = why;
	emit_entry(&event);
}

static void walk(const struct kt_channel_work *work)
{
	uint32_t entries = work->alloc->entries;
	uint32_t index = work->from;

	if (entries == 0) {
		emit_unread(work, 0, "the ring's address is unknown");
		return;
	}
	if (work->to >= entries) {
		emit_unread(work, work->to, "GP_PUT is beyond the ring");
		return;
	}
	while (index != work->to) {
		/* Up to the ring's end: a batch does not wrap. */
		uint32_t end = index < work->to ? work->to : entries;
		uint32_t n = end - index < BATCH ? end - index : BATCH;
		uint32_t words[2 * BATCH];
		const char *why = "";
		size_t got = kt_ring_read_entries(work, index, n, words, &why);

		for (uint32_t i = 0; i < got; i++) {
			const uint32_t *pair = &words[2 * i];
			struct kt_event_gpfifo_entry event = event_of(work, index + i);
			struct kt_gpfifo_entry entry;

			kt_gpfifo_decode(&entry, pair);
			event.entry = (uint64_t)pair[1] << 32 | pair[0];
			if (entry.words) {
				event.address = *work->extended_base | entry.address;
				event.words = entry.words;
				emit_segment(&event);
				continue;
			}
			if (entry.opcode == KT_GPFIFO_SET_EXTENDED_BASE) {
				*work->extended_base = (uint64_t)entry.operand
						       << BASE_SHIFT;
			}
			emit_entry(&event);
		}
		if (got < n) {
			emit_unread(work, index + (uint32_t)got, why);
			return;
		}
		index += n;
		index = index == entries ? 0 : index;
	}
}

void kt_submissions_report(void)
{
	if (kt_submissions_mode != KT_SUBMISSIONS_OFF) {
		kt_channel_each_moved(walk);
	}
}
