/* SPDX-License-Identifier: MIT */
#include "collect/ring-stores.h"

#include <string.h>

#include "collect/counters.h"
#include "collect/memory.h"
#include "collect/pages.h"
#include "collect/ring-places.h"
#include "collect/steps.h"

/* --- stores --- */

/* Whether all stores to that word come to kt_ring_stored(). */
static bool is_guarded(const struct kt_mapping *m, uintptr_t address)
{
	return m && m->alias && (m->watch == KT_WATCH_ALL || m->watch == KT_WATCH_RINGS) &&
	       !m->left_open && !kt_pages_let_through(m, address, true) &&
	       !kt_step_opens(kt_page_of(address));
}

/* Only what moves GP_PUT on: a ring is cleared before it is used, and begins at 0. */
static void count_put(struct kt_ring_copy *copy)
{
	if (copy->put_known && copy->put_word != copy->last_put) {
		copy->last_put = copy->put_word;
		kt_count(&kt_counters->put_stores);
	}
}

/* [start, end) of the place gets the value that begins at `address`. */
static void put_words(const struct kt_ring_place *place, uintptr_t start, uintptr_t end,
		      bool known, uint64_t value, uintptr_t address)
{
	for (uintptr_t at = start & ~(uintptr_t)(KT_RING_WORD - 1); at < end;
	     at += KT_RING_WORD) {
		size_t i = (at - place->lo) / KT_RING_WORD;
		bool whole = at >= start && at + KT_RING_WORD <= end;

		place->known[i] = known && whole;
		if (known && whole) {
			place->words[i] = (uint32_t)(value >> 8 * (at - address));
		}
	}
	if (place->put_of) {
		count_put(place->put_of);
	}
}

/* false: there is no place. */
static bool put_all(uintptr_t address, size_t size, bool known, uint64_t value)
{
	uintptr_t end = size < UINTPTR_MAX - address ? address + size : UINTPTR_MAX;
	size_t first = kt_ring_places_above(address);
	const struct kt_ring_place *p;
	size_t i;

	for (i = first; (p = kt_ring_place_at(i)) && p->lo < end; i++) {
		put_words(p, address > p->lo ? address : p->lo,
			  end < kt_ring_place_end(p) ? end : kt_ring_place_end(p), known,
			  value, address);
	}
	return i > first;
}

bool kt_ring_stored(const struct kt_mapping *m, uintptr_t address, size_t size, bool known,
		    uint64_t value)
{
	if (!kt_ring_places_near(address, address + size)) {
		return false;
	}
	kt_ring_store_came();
	known = known && size <= 8 && is_guarded(m, address) &&
		is_guarded(m, address + size - 1);
	return put_all(address, size, known, value);
}

void kt_ring_unseen(uintptr_t start, size_t length)
{
	if (kt_ring_places_near(start, start + length)) {
		put_all(start, length, false, 0);
	}
}

void kt_ring_all_unseen(void)
{
	put_all(0, UINTPTR_MAX, false, 0);
}

/* --- what is known --- */

bool kt_ring_put(const struct kt_ring_copy *copy, uint32_t *value)
{
	if (!copy || !copy->put.lo || !copy->put_known || kt_ring_places_stale()) {
		return false;
	}
	*value = copy->put_word;
	return true;
}

void kt_ring_learn_put(struct kt_ring_copy *copy, uint32_t value)
{
	if (copy && copy->put.lo && !kt_ring_places_stale() &&
	    is_guarded(kt_mapping_find(copy->put.lo), copy->put.lo)) {
		copy->put_word = value;
		copy->put_known = true;
		copy->last_put = value;
	}
}

bool kt_ring_entry(const struct kt_ring_copy *copy, uint32_t index,
		   uint32_t words[static 2])
{
	size_t i = 2 * (size_t)index;

	if (!copy || !copy->ring.lo || i + 2 > copy->ring.bytes / KT_RING_WORD ||
	    !copy->ring.known[i] || !copy->ring.known[i + 1] || kt_ring_places_stale()) {
		return false;
	}
	memcpy(words, &copy->ring.words[i], 2 * sizeof(*words));
	return true;
}
