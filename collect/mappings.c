/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/mappings.h"

#include <stdatomic.h>
#include <string.h>

#include "collect/kernel.h"
#include "collect/lock.h"
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
	uint64_t signals;
	bool done;

	kt_change_begin(&signals);
	done = insert_at(i, mapping);
	kt_change_end(&signals);
	if (!done) {
		return NULL;
	}
	if (!table.items[i].ordinal) {
		table.items[i].ordinal = kt_mapping_next_ordinal();
	}
	if (mapping->start < atomic_load(&hull_lo)) {
		atomic_store(&hull_lo, mapping->start);
	}
	if (mapping->start + mapping->length > atomic_load(&hull_hi)) {
		atomic_store(&hull_hi, mapping->start + mapping->length);
	}
	return &table.items[i];
}

static void unmap_alias(const struct kt_mapping *m, uintptr_t lo, uintptr_t hi)
{
	if (m->alias) {
		kt_real()->munmap((char *)m->alias + (lo - m->start), hi - lo);
	}
}

/* Makes *m the part of it that begins at `lo`. Windows are dropped. */
static void drop_front(struct kt_mapping *m, uintptr_t lo)
{
	size_t cut = lo - m->start;

	m->alias = m->alias ? (char *)m->alias + cut : NULL;
	m->memory.offset += cut;
	m->doorbell = m->doorbell >= cut ? (uint32_t)(m->doorbell - cut) : 0;
	m->watch =
		m->watch == KT_WATCH_DOORBELL && !m->doorbell ? KT_WATCH_NOTHING : m->watch;
	m->start = lo;
	m->length -= cut;
	m->n_windows = 0;
}

/* Makes *m the part of it that ends at `hi`. Windows are dropped. */
static void drop_back(struct kt_mapping *m, uintptr_t hi)
{
	m->length = hi - m->start;
	if (m->doorbell >= m->length) {
		m->doorbell = 0;
		m->watch = m->watch == KT_WATCH_DOORBELL ? KT_WATCH_NOTHING : m->watch;
	}
	m->n_windows = 0;
}

static void remove_at(size_t i)
{
	memmove(&table.items[i], &table.items[i + 1],
		(table.n - i - 1) * sizeof(*table.items));
	table.n--;
}

static bool split_at(size_t i, uintptr_t address)
{
	struct kt_mapping behind = table.items[i];

	drop_front(&behind, address);
	if (!insert_at(i + 1, &behind)) {
		return false;
	}
	drop_back(&table.items[i], address);
	return true;
}

bool kt_mapping_split(uintptr_t address)
{
	size_t i = first_above(address);
	uint64_t signals;
	bool done = true;

	if (i < table.n && table.items[i].start < address) {
		kt_change_begin(&signals);
		done = split_at(i, address);
		kt_change_end(&signals);
	}
	return done;
}

/* Removes [lo, hi) from the mapping at index i; false: nothing of it is left. */
static bool cut_one(size_t i, uintptr_t lo, uintptr_t hi)
{
	struct kt_mapping *m = &table.items[i];
	uintptr_t end = m->start + m->length;

	lo = lo > m->start ? lo : m->start;
	hi = hi < end ? hi : end;
	unmap_alias(m, lo, hi);
	if (lo == m->start && hi == end) {
		remove_at(i);
		return false;
	}
	if (lo > m->start && hi < end) {
		if (!split_at(i, hi)) {
			/* Out of memory: what lies behind is no longer followed. */
			KT_KERNEL(SYS_mprotect, hi, end - hi, m->protection);
		}
		m = &table.items[i];
	}
	if (lo > m->start) {
		drop_back(m, lo);
	} else {
		drop_front(m, hi);
	}
	return true;
}

void kt_mapping_cut(uintptr_t start, size_t length)
{
	uintptr_t end = start + length;
	uint64_t signals;

	kt_change_begin(&signals);
	for (size_t i = first_above(start); i < table.n && table.items[i].start < end;) {
		uintptr_t item_end = table.items[i].start + table.items[i].length;
		bool left = cut_one(i, start, end);

		if (item_end > end) {
			break;
		}
		i += left;
	}
	kt_change_end(&signals);
}

/* A piece of what mremap has moved. The alias goes with what is taken out. */
static void move_one(struct kt_mapping piece, uintptr_t from, uintptr_t to,
		     size_t new_length, bool keep)
{
	uintptr_t at = piece.start - from;

	if (at >= new_length) {
		unmap_alias(&piece, piece.start, piece.start + piece.length);
		return;
	}
	if (piece.length > new_length - at) {
		unmap_alias(&piece, from + new_length, piece.start + piece.length);
		drop_back(&piece, from + new_length);
	}
	if (keep) {
		piece.alias = NULL; /* the old one keeps it */
	}
	piece.start = piece.base = to + at;
	piece.n_windows = 0;
	piece.ordinal = 0;
	kt_mapping_add(&piece);
}

void kt_mapping_move(uintptr_t from, size_t length, uintptr_t to, size_t new_length,
		     bool keep)
{
	uintptr_t end = from + (keep ? new_length : length);
	size_t n = 0;

	kt_mapping_split(from);
	kt_mapping_split(end);
	for (size_t i = first_above(from); i < table.n && table.items[i].start < end;
	     i = first_above(from + n)) {
		struct kt_mapping piece = table.items[i];

		n = piece.start + piece.length - from;
		if (!keep) {
			uint64_t signals;

			kt_change_begin(&signals);
			remove_at(i);
			kt_change_end(&signals);
		}
		move_one(piece, from, to, new_length, keep);
	}
}

void kt_mapping_each(void (*visit)(struct kt_mapping *mapping, void *context),
		     void *context)
{
	for (size_t i = 0; i < table.n; i++) {
		visit(&table.items[i], context);
	}
}
