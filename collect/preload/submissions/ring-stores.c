/* SPDX-License-Identifier: MIT */
#include "collect/preload/submissions/ring-stores.h"

#include <string.h>

#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/mappings/ring-ranges.h"
#include "collect/preload/mappings/steps.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/submissions/gpu-memory.h"
#include "decode/gpfifo.h"

/* --- stores --- */

/* Returns whether all stores to the dword at `address` reach kt_ring_stored(). */
static bool is_guarded(const struct kt_mapping *m, uintptr_t address)
{
	return m && m->alias && (m->watch == KT_WATCH_ALL || m->watch == KT_WATCH_RINGS) &&
	       !m->left_open && !kt_pages_let_through(m, address, true) &&
	       !kt_step_opens(kt_page_of(address));
}

bool kt_ring_stored(const struct kt_mapping *m, uintptr_t address, size_t size, bool known,
		    uint64_t value)
{
	if (!kt_ring_ranges_near(address, address + size)) {
		return false;
	}
	kt_ring_store_came();
	known = known && size <= 8 && is_guarded(m, address) &&
		is_guarded(m, address + size - 1);
	return kt_ring_put_all(address, size, known, value);
}

/* --- known values --- */

bool kt_ring_put(const struct kt_ring_copy *copy, uint32_t *value)
{
	if (!copy || !copy->put.lo || !copy->put_known || kt_ring_ranges_stale()) {
		return false;
	}
	*value = copy->put_word;
	return true;
}

void kt_ring_learn_put(struct kt_ring_copy *copy, uint32_t value)
{
	if (copy && copy->put.lo && !kt_ring_ranges_stale() &&
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
	    !copy->ring.known[i] || !copy->ring.known[i + 1] || kt_ring_ranges_stale()) {
		return false;
	}
	memcpy(words, &copy->ring.words[i], 2 * sizeof(*words));
	return true;
}

/* --- sources of values --- */

#define ENTRY KT_GPFIFO_ENTRY_BYTES

static enum kt_rings_mode mode_of(const struct kt_ring_copy *copy)
{
	return kt_rings_mode != KT_RINGS_STORES || !copy ? kt_rings_mode
	       : copy->distrusted                        ? KT_RINGS_BUS
	       : copy->sampled                           ? KT_RINGS_CHECK
							 : KT_RINGS_STORES;
}

/* --- GP_PUT --- */

bool kt_ring_take_put(struct kt_ring_copy *copy, uint32_t *value)
{
	if (kt_rings_mode != KT_RINGS_STORES || !kt_ring_put(copy, value)) {
		return false;
	}
	copy->sampled = ++copy->taken % KT_RING_SAMPLE == 0;
	if (mode_of(copy) != KT_RINGS_STORES) {
		return false;
	}
	kt_count(&kt_counters->puts_stored);
	return true;
}

/*
 * With KT_RINGS_CHECK, a value that was read is not remembered: only values of observed
 * stores are compared with the memory.
 */
bool kt_ring_put_was_read(struct kt_ring_copy *copy, uint32_t value)
{
	enum kt_rings_mode mode = mode_of(copy);
	uint32_t stored;

	if (mode == KT_RINGS_BUS) {
		return false;
	}
	if (!kt_ring_put(copy, &stored)) {
		kt_count(&kt_counters->puts_read);
		if (kt_rings_mode == KT_RINGS_STORES) {
			kt_ring_learn_put(copy, value);
		}
		return false;
	}
	if (stored != value) {
		kt_count(&kt_counters->puts_wrong);
		copy->distrusted = true;
		return false;
	}
	kt_count(&kt_counters->puts_stored);
	return true;
}

/* --- entries --- */

static size_t read_bus(const struct kt_channel_work *work, uint32_t index, uint32_t n,
		       uint32_t *words, const char **why)
{
	return kt_gpu_read(words, work->alloc->ring + (uint64_t)index * ENTRY, n * ENTRY,
			   why) /
	       ENTRY;
}

static size_t take_entries(const struct kt_channel_work *work, uint32_t index, uint32_t n,
			   uint32_t *words, const char **why)
{
	uint32_t unknown[2];
	uint32_t done = 0;

	while (done < n) {
		uint32_t run = 0;
		size_t got = 0;

		/* Counts the consecutive entries from here on that are not known. */
		while (run < n - done &&
		       !kt_ring_entry(work->copy, index + done + run, unknown)) {
			run++;
		}
		if (run) {
			got = read_bus(work, index + done, run, &words[2 * done], why);
			kt_count_many(&kt_counters->entries_read, got);
		}
		if (got < run) {
			return done + got;
		}
		for (done += run;
		     done < n && kt_ring_entry(work->copy, index + done, &words[2 * done]);
		     done++) {
			kt_count(&kt_counters->entries_stored);
		}
	}
	return n;
}

static size_t check_entries(const struct kt_channel_work *work, uint32_t index, uint32_t n,
			    uint32_t *words, const char **why)
{
	size_t got = read_bus(work, index, n, words, why);

	for (uint32_t i = 0; i < got; i++) {
		uint32_t stored[2];

		if (!kt_ring_entry(work->copy, index + i, stored)) {
			kt_count(&kt_counters->entries_read);
		} else if (stored[0] == words[2 * i] && stored[1] == words[2 * i + 1]) {
			kt_count(&kt_counters->entries_stored);
		} else {
			kt_count(&kt_counters->entries_wrong);
			work->copy->distrusted = true;
		}
	}
	return got;
}

size_t kt_ring_read_entries(const struct kt_channel_work *work, uint32_t index, uint32_t n,
			    uint32_t *words, const char **why)
{
	switch (mode_of(work->copy)) {
	case KT_RINGS_STORES: return take_entries(work, index, n, words, why);
	case KT_RINGS_CHECK: return check_entries(work, index, n, words, why);
	case KT_RINGS_AUTO:
	case KT_RINGS_BUS: break;
	}
	return read_bus(work, index, n, words, why);
}
