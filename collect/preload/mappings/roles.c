/* SPDX-License-Identifier: MIT */
#include "collect/preload/mappings/roles.h"

#include <stddef.h>
#include <string.h>

#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/process/memory.h"
#include "decode/gpfifo.h"

/* Offsets of NVC361_TIME_0 and _1 in the usermode object (clc361.h of open-gpu-doc). */
#define TIMER     0x80u
#define TIMER_END 0x88u

static struct {
	struct kt_channel_alloc *items; /* Owned by this */
	size_t n;
	size_t capacity;
	uint64_t changes;
} table;

void kt_roles_add(const struct kt_channel_alloc *alloc)
{
	kt_roles_remove(alloc->client, alloc->object);
	if (kt_table_reserve((void **)&table.items, &table.capacity, table.n + 1,
			     sizeof(*table.items))) {
		table.items[table.n++] = *alloc;
		table.changes++;
	}
}

void kt_roles_remove(uint32_t client, uint32_t object)
{
	for (size_t i = 0; i < table.n; i++) {
		if (table.items[i].object == object && table.items[i].client == client) {
			table.items[i] = table.items[--table.n];
			table.changes++;
			return;
		}
	}
}

void kt_roles_clear(void)
{
	table.n = 0;
	table.changes++;
}

uint64_t kt_roles_changes(void)
{
	return table.changes;
}

/*
 * Narrows *range, which contains `address`. If the address is in [lo, hi), *range becomes
 * its part in [lo, hi) and gets the role. If not, *range is cut to its part before or after
 * [lo, hi), whichever contains the address.
 */
static void narrow(struct kt_role_range *range, uintptr_t address, uintptr_t lo,
		   uintptr_t hi, const char *role)
{
	if (address >= hi) {
		range->lo = hi > range->lo ? hi : range->lo;
	} else if (address < lo) {
		range->hi = lo < range->hi ? lo : range->hi;
	} else {
		range->lo = lo > range->lo ? lo : range->lo;
		range->hi = hi < range->hi ? hi : range->hi;
		range->role = role;
	}
}

/*
 * Returns the address that the channel's ring would have if the mapping showed the whole
 * object, so the address may be outside the mapping. Returns 0 if the ring is in another
 * object or its size is unknown.
 */
static uintptr_t ring_in(const struct kt_mapping *m, const struct kt_channel_alloc *a)
{
	struct kt_gpu_range first;

	if (a->entries == 0) {
		return 0;
	}
	if (!kt_gpu_object_at(a->ring, &first)) {
		return a->ring; /* usually also the CPU address */
	}
	return first.object == m->memory.object && first.client == m->memory.client
		       ? m->start + (first.offset - m->memory.offset)
		       : 0;
}

/* --- ranges found before --- */

/*
 * A submission goes round a few ranges (commands, ring, GP_PUT, semaphore), and finding one
 * takes time proportional to the channels.
 */
#define KEPT 8

static struct {
	uint64_t changes; /* when the ranges were found */
	struct {
		uint32_t ordinal;
		struct kt_role_range range;
	} items[KEPT];
	unsigned next;
} kept;

/* All three counters only grow, so an equal sum means that none has changed. */
static uint64_t changes(void)
{
	return table.changes + kt_mapping_changes() + kt_gpu_changes();
}

static const struct kt_role_range *find_kept(const struct kt_mapping *m, uintptr_t address)
{
	if (kept.changes != changes()) {
		return NULL;
	}
	for (unsigned i = 0; i < KEPT; i++) {
		const struct kt_role_range *range = &kept.items[i].range;

		if (address - range->lo < range->hi - range->lo &&
		    kept.items[i].ordinal == m->ordinal) {
			return range;
		}
	}
	return NULL;
}

static void keep(const struct kt_mapping *m, const struct kt_role_range *range)
{
	if (kept.changes != changes()) {
		memset(&kept, 0, sizeof(kept));
		kept.changes = changes();
	}
	kept.items[kept.next].ordinal = m->ordinal;
	kept.items[kept.next].range = *range;
	kept.next = (kept.next + 1) % KEPT;
}

struct kt_role_range kt_role_at(const struct kt_mapping *m, uintptr_t address)
{
	struct kt_role_range range = {
		.lo = m->start, .hi = m->start + m->length, .role = "other"};
	const struct kt_role_range *before;

	if (m->doorbell) {
		narrow(&range, address, m->base + TIMER, m->base + TIMER_END, "timer");
		return range;
	}
	before = find_kept(m, address);
	if (before) {
		return *before;
	}
	for (size_t i = 0; i < table.n; i++) {
		const struct kt_channel_alloc *a = &table.items[i];
		uint64_t bytes = (uint64_t)a->entries * KT_GPFIFO_ENTRY_BYTES;
		uintptr_t at = ring_in(m, a);

		if (at && bytes < UINTPTR_MAX - at) {
			narrow(&range, address, at, at + bytes, "ring");
		}
		if (m->memory.client != a->client || m->memory.object != a->userd_memory ||
		    !a->userd_memory) {
			continue;
		}
		at = m->start + (a->userd_offset + KT_USERD_GP_PUT - m->memory.offset);
		narrow(&range, address, at, at + sizeof(uint32_t), "GP_PUT");
		at = m->start + (a->userd_offset + KT_USERD_GP_GET - m->memory.offset);
		narrow(&range, address, at, at + sizeof(uint32_t), "GP_GET");
	}
	keep(m, &range);
	return range;
}
