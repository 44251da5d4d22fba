/* SPDX-License-Identifier: MIT */
#include "collect/preload/mappings/ring-ranges.h"

#include <string.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"
#include "decode/gpfifo.h"

enum kt_rings_mode kt_rings_mode = KT_RINGS_BUS;

static struct {
	struct kt_ring_copy **copies; /* the array is owned by this; the copies are not */
	size_t n_copies;
	size_t copies_capacity;
	struct kt_ring_range *
		*ranges; /* array owned by this; sorted by address, disjoint */
	size_t n_ranges;
	size_t ranges_capacity;
	uintptr_t lo; /* all ranges lie in [lo, hi) */
	uintptr_t hi;
	/* kt_mapping_changes() and kt_gpu_changes() when the ranges were located. */
	uint64_t mapping_changes;
	uint64_t gpu_changes;
	bool changed;
	bool missed; /* a store near a range was noted while the ranges were stale */
} table;

static void forget(const struct kt_ring_range *range)
{
	memset(range->known, 0, range->bytes / KT_RING_WORD * sizeof(*range->known));
}

/* --- channels --- */

struct kt_ring_copy *kt_ring_follow(const struct kt_channel_alloc *alloc)
{
	struct kt_ring_copy *copy = NULL; /* allocated as a table of bytes */
	size_t words =
		alloc->entries <= KT_RING_ENTRIES_MAX
			? (size_t)alloc->entries * (KT_GPFIFO_ENTRY_BYTES / KT_RING_WORD)
			: 0;
	size_t size = sizeof(struct kt_ring_copy) + words * (KT_RING_WORD + sizeof(bool));
	size_t capacity = 0;
	uint64_t signals;
	bool reserved;

	if (kt_rings_mode == KT_RINGS_BUS) {
		return NULL;
	}
	kt_change_begin(&signals);
	reserved =
		kt_table_reserve((void **)&table.copies, &table.copies_capacity,
				 table.n_copies + 1, sizeof(struct kt_ring_copy *)) &&
		kt_table_reserve((void **)&table.ranges, &table.ranges_capacity,
				 2 * (table.n_copies + 1), sizeof(struct kt_ring_range *));
	kt_change_end(&signals);
	if (!reserved || !kt_table_reserve((void **)&copy, &capacity, size, 1)) {
		return NULL;
	}
	copy->alloc = *alloc;
	copy->size = capacity;
	copy->put = (struct kt_ring_range){.bytes = KT_RING_WORD,
					   .words = &copy->put_word,
					   .known = &copy->put_known,
					   .put_of = copy};
	copy->ring.bytes = words * KT_RING_WORD;
	copy->ring.words = (uint32_t *)(copy + 1);
	copy->ring.known = (bool *)(copy->ring.words + words);
	table.copies[table.n_copies++] = copy;
	table.changed = true;
	return copy;
}

static void remove_range(const struct kt_ring_range *range)
{
	size_t kept = 0;

	for (size_t i = 0; i < table.n_ranges; i++) {
		if (table.ranges[i] != range) {
			table.ranges[kept++] = table.ranges[i];
		}
	}
	table.n_ranges = kept;
}

void kt_ring_unfollow(struct kt_ring_copy *copy)
{
	uint64_t signals;
	size_t kept = 0;

	if (!copy) {
		return;
	}
	kt_change_begin(&signals);
	for (size_t i = 0; i < table.n_copies; i++) {
		if (table.copies[i] != copy) {
			table.copies[kept++] = table.copies[i];
		}
	}
	table.n_copies = kept;
	remove_range(&copy->put);
	remove_range(&copy->ring);
	table.changed = true;
	kt_change_end(&signals);
	kt_table_free(copy, copy->size, 1);
}

/* --- location --- */

/* Bytes of a memory object, and the mapping that should show them. */
struct sought {
	uint32_t client;
	uint32_t object;
	uint64_t offset;
	size_t bytes;
	uint32_t ordinal;
	uintptr_t lo; /* address of the bytes in the program's mapping */
	size_t shown; /* how many of the bytes all mappings together show */
	bool alone;   /* only that mapping shows any of the bytes, and it has an alias */
};

/*
 * Counts the sought bytes that *m shows, and clears `alone` if *m is another mapping than
 * the sought one. The pieces of a split mapping share an ordinal, so they are one mapping.
 */
static void count_shown(struct kt_mapping *m, void *context)
{
	struct sought *s = context;
	uint64_t end = s->offset + s->bytes;
	uint64_t from = m->memory.offset > s->offset ? m->memory.offset : s->offset;
	uint64_t to =
		m->memory.offset + m->length < end ? m->memory.offset + m->length : end;

	if (m->memory.client != s->client || m->memory.object != s->object || from >= to) {
		return;
	}
	if (m->ordinal != s->ordinal || !m->alias ||
	    m->start + (s->offset - m->memory.offset) != s->lo) {
		s->alone = false;
	}
	s->shown += to - from;
}

/* Locates the bytes; range->lo is 0 if they cannot be followed. */
static void find_range(struct kt_ring_range *range, struct sought *s)
{
	const struct kt_mapping *m;

	range->lo = 0;
	range->ordinal = 0;
	m = s->object && range->bytes
		    ? kt_mapping_of_object(s->client, s->object, s->offset)
		    : NULL;
	if (!m) {
		return;
	}
	s->ordinal = m->ordinal;
	s->lo = m->start + (s->offset - m->memory.offset);
	s->bytes = range->bytes;
	s->alone = true;
	kt_mapping_each(count_shown, s);
	if (s->alone && s->shown == s->bytes && s->lo % KT_RING_WORD == 0) {
		range->lo = s->lo;
		range->ordinal = s->ordinal;
	}
}

/* Returns whether byte `at` of the ring is `at` bytes after *first in the same object. */
static bool is_in_object(const struct kt_gpu_range *first, uint64_t at)
{
	struct kt_gpu_range there;

	return kt_gpu_object_at(first->address + at, &there) &&
	       there.client == first->client && there.object == first->object &&
	       there.offset - first->offset == at;
}

size_t kt_ring_ranges_above(uintptr_t address)
{
	size_t lo = 0;
	size_t hi = table.n_ranges;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (kt_ring_range_end(table.ranges[mid]) <= address) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return lo;
}

/* Inserts a range in the order of addresses, unless it overlaps one inserted before. */
static void insert(struct kt_ring_range *range)
{
	size_t i = kt_ring_ranges_above(range->lo);

	if (!range->lo ||
	    (i < table.n_ranges && table.ranges[i]->lo < kt_ring_range_end(range))) {
		range->lo = 0;
		range->ordinal = 0;
		return;
	}
	memmove(&table.ranges[i + 1], &table.ranges[i],
		(table.n_ranges - i) * sizeof(struct kt_ring_range *));
	table.ranges[i] = range;
	table.n_ranges++;
}

/* Returns whether the range is at another place than before. */
static bool has_moved(const struct kt_ring_range *range, const struct kt_ring_range *before)
{
	return range->lo != before->lo || range->ordinal != before->ordinal;
}

static bool settle_one(struct kt_ring_copy *copy)
{
	const struct kt_ring_range put = copy->put;
	const struct kt_ring_range ring = copy->ring;
	struct sought s = {.client = copy->alloc.client,
			   .object = copy->alloc.userd_memory,
			   .offset = copy->alloc.userd_offset + KT_USERD_GP_PUT};
	size_t bytes = copy->ring.bytes;
	struct kt_gpu_range first;
	bool whole;

	find_range(&copy->put, &s);
	s = (struct sought){.client = 0};
	/*
	 * The ring has a GPU address, and each page could lead to another memory object.
	 * The ring is followed only if all its pages lead to the same object.
	 */
	whole = bytes && kt_gpu_object_at(copy->alloc.ring, &first) &&
		is_in_object(&first, bytes - KT_RING_WORD);
	for (uint64_t at = KT_PAGE - copy->alloc.ring % KT_PAGE; whole && at < bytes;
	     at += KT_PAGE) {
		whole = is_in_object(&first, at);
	}
	if (whole) {
		s.client = first.client;
		s.object = first.object;
		s.offset = first.offset;
	}
	find_range(&copy->ring, &s);
	insert(&copy->put);
	insert(&copy->ring);
	if (has_moved(&copy->put, &put) || table.missed) {
		forget(&copy->put);
	}
	if (has_moved(&copy->ring, &ring) || table.missed) {
		forget(&copy->ring);
	}
	return has_moved(&copy->put, &put) || has_moved(&copy->ring, &ring);
}

bool kt_ring_ranges_stale(void)
{
	return table.changed || table.mapping_changes != kt_mapping_changes() ||
	       table.gpu_changes != kt_gpu_changes();
}

bool kt_rings_settle(void)
{
	uint64_t signals;
	bool moved;

	if (kt_rings_mode == KT_RINGS_BUS || !kt_ring_ranges_stale()) {
		return false;
	}
	kt_change_begin(&signals);
	moved = table.changed; /* a channel was added or removed */
	table.n_ranges = 0;
	for (size_t i = 0; i < table.n_copies; i++) {
		moved = settle_one(table.copies[i]) || moved;
	}
	table.lo = table.n_ranges ? table.ranges[0]->lo : 0;
	table.hi = table.n_ranges ? kt_ring_range_end(table.ranges[table.n_ranges - 1]) : 0;
	table.mapping_changes = kt_mapping_changes();
	table.gpu_changes = kt_gpu_changes();
	table.changed = false;
	table.missed = false;
	kt_change_end(&signals);
	return moved;
}

bool kt_ring_next_pages(uintptr_t *lo, uintptr_t hi, uintptr_t *end)
{
	size_t i = kt_ring_ranges_above(*lo);

	if (i == table.n_ranges || kt_page_of(table.ranges[i]->lo) >= hi) {
		return false;
	}
	*lo = kt_page_of(table.ranges[i]->lo) > *lo ? kt_page_of(table.ranges[i]->lo) : *lo;
	*end = kt_whole_pages(kt_ring_range_end(table.ranges[i]));
	for (i++; i < table.n_ranges && kt_page_of(table.ranges[i]->lo) <= *end; i++) {
		*end = kt_whole_pages(kt_ring_range_end(table.ranges[i]));
	}
	*end = *end < hi ? *end : hi;
	return true;
}

/* --- stored values --- */

bool kt_ring_ranges_near(uintptr_t start, uintptr_t end)
{
	return start < table.hi && end > table.lo;
}

void kt_ring_ranges_gap(uintptr_t address, uintptr_t *lo, uintptr_t *hi)
{
	size_t above = kt_ring_ranges_above(address);

	*lo = above ? kt_ring_range_end(table.ranges[above - 1]) : 0;
	*hi = above < table.n_ranges ? table.ranges[above]->lo : UINTPTR_MAX;
	if (*hi <= address || (kt_rings_mode != KT_RINGS_BUS && kt_ring_ranges_stale())) {
		*lo = address;
		*hi = address;
	}
}

const struct kt_ring_range *kt_ring_range_at(size_t index)
{
	return index < table.n_ranges ? table.ranges[index] : NULL;
}

void kt_ring_store_came(void)
{
	table.missed = table.missed || kt_ring_ranges_stale();
}

/* Writes the value to the parts of ranges that lie in [address, address + size). */
bool kt_ring_put_all(uintptr_t address, size_t size, bool known, uint64_t value)
{
	uintptr_t end = size < UINTPTR_MAX - address ? address + size : UINTPTR_MAX;
	size_t first = kt_ring_ranges_above(address);
	const struct kt_ring_range *p;
	size_t i;

	for (i = first; (p = kt_ring_range_at(i)) && p->lo < end; i++) {
		uintptr_t from = address > p->lo ? address : p->lo;
		uintptr_t to = end < kt_ring_range_end(p) ? end : kt_ring_range_end(p);
		struct kt_ring_copy *copy = p->put_of;

		for (uintptr_t at = from & ~(uintptr_t)(KT_RING_WORD - 1); at < to;
		     at += KT_RING_WORD) {
			size_t word = (at - p->lo) / KT_RING_WORD;
			bool whole = at >= from && at + KT_RING_WORD <= to;

			p->known[word] = known && whole;
			if (known && whole) {
				p->words[word] = (uint32_t)(value >> 8 * (at - address));
			}
		}
		/*
		 * Counts only stores that change GP_PUT. As last_put is 0 at first, a store
		 * that initialises GP_PUT to 0 does not count.
		 */
		if (copy && copy->put_known && copy->put_word != copy->last_put) {
			copy->last_put = copy->put_word;
			kt_count(&kt_counters->put_stores);
		}
	}
	return i > first;
}

void kt_ring_unseen(uintptr_t start, size_t length)
{
	if (kt_ring_ranges_near(start, start + length)) {
		kt_ring_put_all(start, length, false, 0);
	}
}

void kt_ring_all_unseen(void)
{
	kt_ring_put_all(0, UINTPTR_MAX, false, 0);
}
