/* SPDX-License-Identifier: MIT */
#include "collect/preload/submissions/ring-stores.h"

#include <string.h>

#include "collect/preload/mappings/pages.h"
#include "collect/preload/mappings/ring-places.h"
#include "collect/preload/mappings/steps.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"

/* --- stores --- */

/* Whether all stores to that word come to kt_ring_stored(). */
static bool is_guarded(const struct kt_mapping *m, uintptr_t address)
{
	return m && m->alias && (m->watch == KT_WATCH_ALL || m->watch == KT_WATCH_RINGS) &&
	       !m->left_open && !kt_pages_let_through(m, address, true) &&
	       !kt_step_opens(kt_page_of(address));
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
	return kt_ring_put_all(address, size, known, value);
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
