/* SPDX-License-Identifier: MIT */
#include "collect/preload/submissions/submissions.h"

#include "collect/preload/emit/emit.h"
#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/submissions/channels.h"
#include "collect/preload/submissions/gpu-memory.h"
#include "collect/preload/submissions/ring-stores.h"
#include "decode/gpfifo.h"

#define BATCH      16 /* limit of ring entries read at once */
#define BASE_SHIFT 40 /* an entry holds this many low bits of an address */

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

/*
 * Copies dwords [offset, end) of the segment to part[], but at most part_words of them.
 * Returns the number of dwords copied.
 */
static uint32_t copy_part(const struct kt_event_gpfifo_entry *entry, uint32_t offset,
			  uint32_t end, const char **why)
{
	uint32_t n = end - offset < part_words ? end - offset : part_words;

	return (uint32_t)(kt_gpu_read(part, entry->address + offset * UINT64_C(4), n * 4,
				      why) /
			  4);
}

/*
 * Copies the first part and checks that the rest can be read before emitting the entry's
 * event, which says whether dwords are missing. If memory is unmapped after the check,
 * fewer dwords follow than the event announces, and the entry is counted as unread.
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

/* Emits the doorbell's event, unless it was emitted before. */
static void emit_first(const struct kt_event_doorbell **doorbell)
{
	if (*doorbell) {
		kt_emit_doorbell(*doorbell);
		*doorbell = NULL;
	}
}

static void emit_one(const struct kt_channel_work *work, uint32_t index,
		     const uint32_t pair[static 2])
{
	struct kt_event_gpfifo_entry event = event_of(work, index);
	struct kt_gpfifo_entry entry;

	kt_gpfifo_decode(&entry, pair);
	event.entry = (uint64_t)pair[1] << 32 | pair[0];
	if (entry.words) {
		event.address = *work->extended_base | entry.address;
		event.words = entry.words;
		emit_segment(&event);
		return;
	}
	if (entry.opcode == KT_GPFIFO_SET_EXTENDED_BASE) {
		*work->extended_base = (uint64_t)entry.operand << BASE_SHIFT;
	}
	emit_entry(&event);
}

/*
 * Emits one event for a doorbell and the n entries that it submitted. Returns false, and
 * emits nothing, if their dwords do not fit or not all dwords can be read.
 */
static bool emit_small(const struct kt_event_doorbell *doorbell,
		       const struct kt_channel_work *work, const uint32_t *pairs,
		       uint32_t n)
{
	uint32_t indexes[BATCH];
	uint64_t entries[BATCH];
	uint64_t addresses[BATCH];
	uint32_t lengths[BATCH];
	uint64_t base = *work->extended_base;
	struct kt_event_submission event = {
		.doorbell = doorbell,
		.client = work->alloc->client,
		.class_ = work->alloc->class_,
		.n = n,
		.indexes = indexes,
		.entries = entries,
		.addresses = addresses,
		.lengths = lengths,
		.words = part,
	};

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t *pair = &pairs[2 * i];
		struct kt_gpfifo_entry entry;
		const char *why;

		kt_gpfifo_decode(&entry, pair);
		indexes[i] = work->from + i;
		entries[i] = (uint64_t)pair[1] << 32 | pair[0];
		addresses[i] = entry.words ? base | entry.address : 0;
		lengths[i] = entry.words;
		if (entry.words + event.count + KT_SMALL_SPARE > part_words ||
		    kt_gpu_read(&part[event.count], addresses[i], entry.words * UINT64_C(4),
				&why) < entry.words * UINT64_C(4)) {
			return false;
		}
		event.count += entry.words;
		if (!entry.words && entry.opcode == KT_GPFIFO_SET_EXTENDED_BASE) {
			base = (uint64_t)entry.operand << BASE_SHIFT;
		}
	}
	*work->extended_base = base;
	kt_emit_submission(&event);
	kt_count_many(&kt_counters->entries, n);
	kt_count_many(&kt_counters->words, event.count);
	return true;
}

/*
 * Walks one channel's new entries. *context points to the doorbell until its event is
 * emitted, and is NULL afterwards.
 */
static void walk(const struct kt_channel_work *work, void *context)
{
	const struct kt_event_doorbell **doorbell = context;
	uint32_t entries = work->alloc->entries;
	uint32_t index = work->from;

	if (entries == 0 || work->to >= entries) {
		emit_first(doorbell);
		emit_unread(work, entries == 0 ? 0 : work->to,
			    entries == 0 ? "the ring's address is unknown"
					 : "GP_PUT is beyond the ring");
		return;
	}
	while (index != work->to) {
		/* A batch does not wrap: it ends at GP_PUT or at the end of the ring. */
		uint32_t end = index < work->to ? work->to : entries;
		uint32_t n = end - index < BATCH ? end - index : BATCH;
		uint32_t words[2 * BATCH];
		const char *why = "";
		size_t got = kt_ring_read_entries(work, index, n, words, &why);

		if (*doorbell && (*doorbell)->moved == 1 && !work->found &&
		    work->alloc->object == (*doorbell)->channel && got == n &&
		    (index + n) % entries == work->to &&
		    emit_small(*doorbell, work, words, n)) {
			*doorbell = NULL;
			return;
		}
		emit_first(doorbell);
		for (uint32_t i = 0; i < got; i++) {
			emit_one(work, index + i, &words[2 * i]);
		}
		if (got < n) {
			emit_unread(work, index + (uint32_t)got, why);
			return;
		}
		index += n;
		index = index == entries ? 0 : index;
	}
}

void kt_submissions_report(const struct kt_event_doorbell *doorbell)
{
	if (kt_submissions_mode != KT_SUBMISSIONS_OFF) {
		kt_channel_each_moved(walk, &doorbell);
	}
	emit_first(&doorbell);
}
