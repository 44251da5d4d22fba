/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/mappings.h"

#include <stdatomic.h>
#include <string.h>

#include "collect/memory.h"
#include "collect/real.h"

static struct {
	struct kt_mapping *items; /* Owned by this; by address, disjoint */
	size_t n;
	size_t capacity;
	uint32_t last_ordinal;
} table;

/* Hull of all mappings, for kt_mapping_may_touch(). Only ever grows. */
static _Atomic uintptr_t hull_lo = UINTPTR_MAX;
static _Atomic uintptr_t hull_hi = 0;

const char *kt_mapping_space(const struct kt_mapping *mapping)
{
	return mapping->static_space ? mapping->static_space : mapping->space_buffer;
}

bool kt_mapping_may_touch(uintptr_t start, size_t length)
{
	return start < atomic_load(&hull_hi) && start + length > atomic_load(&hull_lo);
}

/* Index of the first mapping that ends above the address. */
static size_t first_above(uintptr_t address)
{
	size_t lo = 0;
	size_t hi = table.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (table.items[mid].start + table.items[mid].length <= address) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return lo;
}

struct kt_mapping *kt_mapping_find(uintptr_t address)
{
	size_t i = first_above(address);

	return i < table.n && table.items[i].start <= address ? &table.items[i] : NULL;
}

struct kt_mapping *kt_mapping_of_object(uint32_t client, uint32_t object, uint64_t offset)
{
	for (size_t i = 0; i < table.n; i++) {
		struct kt_mapping *m = &table.items[i];

		if (m->memory.client == client && m->memory.object == object &&
		    offset >= m->memory.offset && offset - m->memory.offset < m->length) {
			return m;
		}
	}
	return NULL;
}

struct kt_mapping *kt_mapping_touching(uintptr_t start, size_t length, uintptr_t from)
{
	size_t i = first_above(start > from ? start : from);

	return i < table.n && table.items[i].start < start + length ? &table.items[i]
								    : NULL;
}

/* Makes room for one mapping at index i. */
static bool insert_at(size_t i, const struct kt_mapping *mapping)
{
	if (!kt_table_reserve((void **)&table.items, &table.capacity, table.n + 1,
			      sizeof(*table.items))) {
		return false;
	}
	memmove(&table.items[i + 1], &table.items[i], (table.n - i) * sizeof(*table.items));
	table.items[i] = *mapping;
	table.n++;
	return true;
}

uint32_t kt_mapping_next_ordinal(void)
{
	return ++table.last_ordinal;
}

struct kt_mapping *kt_mapping_add(const struct kt_mapping *mapping)
{
	size_t i = first_above(mapping->start);

	if (!insert_at(i, mapping)) {
		return NULL;
	}
	table.items[i].ordinal = kt_mapping_next_ordinal();
	if (mapping->start < atomic_load(&hull_lo)) {
		atomic_store(&hull_lo, mapping->start);
	}
	if (mapping->start + mapping->length > atomic_load(&hull_hi)) {
		atomic_store(&hull_hi, mapping->start + mapping->length);
	}
	return &table.items[i];
}

/* Removes [lo, hi) from the mapping at index i; the windows of what stays are dropped. */
static void cut_one(size_t i, uintptr_t lo, uintptr_t hi)
{
	struct kt_mapping *m = &table.items[i];
	struct kt_mapping behind = *m;
	uintptr_t end = m->start + m->length;

	if (lo <= m->start && hi >= end) {
		if (m->alias) {
			kt_real()->munmap(m->alias, m->length);
		}
		memmove(m, m + 1, (table.n - i - 1) * sizeof(*m));
		table.n--;
		return;
	}
	/* What stays keeps no alias: it would no longer lie at the mapping's offset. */
	if (m->alias) {
		kt_real()->munmap(m->alias, m->length);
		m->alias = NULL;
		behind.alias = NULL;
	}
	m->n_windows = behind.n_windows = 0;
	if (hi < end) {
		behind.start = hi;
		behind.length = end - hi;
		behind.memory.offset += hi - m->start;
		behind.doorbell = m->doorbell && m->start + m->doorbell >= hi
					  ? (uint32_t)(m->doorbell - (hi - m->start))
					  : 0;
		if (lo <= m->start) {
			*m = behind;
			return;
		}
		m->length = lo - m->start;
		insert_at(i + 1, &behind);
		return;
	}
	m->length = lo - m->start;
}

void kt_mapping_cut(uintptr_t start, size_t length)
{
	uintptr_t end = start + length;

	for (size_t i = first_above(start); i < table.n && table.items[i].start < end;) {
		size_t before = table.n;
		uintptr_t item_end = table.items[i].start + table.items[i].length;

		cut_one(i, start, end);
		if (item_end > end) {
			return;
		}
		i += table.n == before;
	}
}

void kt_mapping_each(void (*visit)(struct kt_mapping *mapping, void *context),
		     void *context)
{
	for (size_t i = 0; i < table.n; i++) {
		visit(&table.items[i], context);
	}
}
