/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/mappings/mappings.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/mappings/spans.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/process/next.h"

#define UNMAPPED 16 /* number of removed ranges that are remembered */

static struct {
	struct kt_mapping *items; /* Owned by this; sorted by address, disjoint */
	size_t n;
	size_t capacity;
	uint32_t last_ordinal;
	uint64_t changes;
} table;

const char *kt_mapping_space(const struct kt_mapping *mapping)
{
	return mapping->static_space ? mapping->static_space : mapping->space_buffer;
}

uint64_t kt_mapping_changes(void)
{
	return table.changes;
}

bool kt_mapping_may_touch(uintptr_t start, size_t length)
{
	return kt_spans_may_touch(start, length);
}

/* --- ranges removed last --- */

static struct {
	_Atomic uintptr_t lo;
	_Atomic uintptr_t hi;
} unmapped[UNMAPPED];

bool kt_mapping_was_at(uintptr_t address)
{
	for (unsigned i = 0; i < UNMAPPED; i++) {
		if (address >= unmapped[i].lo && address < unmapped[i].hi) {
			return true;
		}
	}
	return false;
}

/* --- the table --- */

/* Returns the index of the first mapping that ends above the address. */
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
	static _Atomic size_t found_last; /* most lookups are of the same mapping again */
	size_t i = atomic_load_explicit(&found_last, memory_order_relaxed);

	if (i < table.n && address - table.items[i].start < table.items[i].length) {
		return &table.items[i];
	}
	i = first_above(address);
	if (i == table.n || table.items[i].start > address) {
		return NULL;
	}
	atomic_store_explicit(&found_last, i, memory_order_relaxed);
	return &table.items[i];
}

struct kt_mapping *kt_mapping_of_object(uint32_t client, uint32_t object, uint64_t offset)
{
	struct kt_mapping *found = NULL;

	for (size_t i = 0; i < table.n; i++) {
		struct kt_mapping *m = &table.items[i];

		if (m->memory.client == client && m->memory.object == object &&
		    offset >= m->memory.offset && offset - m->memory.offset < m->length &&
		    (!found || m->ordinal > found->ordinal)) {
			found = m;
		}
	}
	return found;
}

struct kt_mapping *kt_mapping_touching(uintptr_t start, size_t length, uintptr_t from)
{
	size_t i = first_above(start > from ? start : from);

	return i < table.n && table.items[i].start < start + length ? &table.items[i]
								    : NULL;
}

/*
 * Publishes the spans. Call after every change of mappings, with signals blocked. O(n),
 * like the change.
 */
static void publish(void)
{
	table.changes++;
	kt_spans_begin();
	for (size_t i = 0; i < table.n; i++) {
		kt_spans_add(table.items[i].start, table.items[i].length);
	}
	kt_spans_end();
}

/* Inserts a mapping at index i. */
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
	publish();
	kt_change_end(&signals);
	if (!done) {
		return NULL;
	}
	if (!table.items[i].ordinal) {
		table.items[i].ordinal = kt_mapping_next_ordinal();
	}
	return &table.items[i];
}

static void unmap_alias(const struct kt_mapping *m, uintptr_t lo, uintptr_t hi)
{
	if (m->alias) {
		kt_next()->munmap((char *)m->alias + (lo - m->start), hi - lo);
	}
}

/* Forgets the windows without closing their pages, and therefore sets left_open. */
static void drop_windows(struct kt_mapping *m)
{
	m->left_open = m->left_open || m->n_windows;
	m->n_windows = 0;
}

/* Shrinks *m to the part from `lo` on. Windows are dropped. */
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
	drop_windows(m);
}

/* Shrinks *m to the part below `hi`. Windows are dropped. */
static void drop_back(struct kt_mapping *m, uintptr_t hi)
{
	m->length = hi - m->start;
	if (m->doorbell >= m->length) {
		m->doorbell = 0;
		m->watch = m->watch == KT_WATCH_DOORBELL ? KT_WATCH_NOTHING : m->watch;
	}
	drop_windows(m);
}

static void remove_at(size_t i)
{
	memmove(&table.items[i], &table.items[i + 1],
		(table.n - i - 1) * sizeof(*table.items));
	table.n--;
}

static bool split_at(size_t i, uintptr_t address)
{
	struct kt_mapping after = table.items[i];

	drop_front(&after, address);
	if (!insert_at(i + 1, &after)) {
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

void kt_mapping_cut(uintptr_t start, size_t length)
{
	uintptr_t end = start + length;
	static unsigned next;
	uint64_t signals;

	kt_change_begin(&signals);
	unmapped[next % UNMAPPED].hi = 0;
	unmapped[next % UNMAPPED].lo = start;
	unmapped[next++ % UNMAPPED].hi = end;
	for (size_t i = first_above(start); i < table.n && table.items[i].start < end;) {
		struct kt_mapping *m = &table.items[i];
		uintptr_t item_end = m->start + m->length;
		uintptr_t lo = start > m->start ? start : m->start;
		uintptr_t hi = end < item_end ? end : item_end;

		unmap_alias(m, lo, hi);
		if (lo == m->start && hi == item_end) {
			remove_at(i);
			continue;
		}
		if (lo > m->start && hi < item_end) {
			if (!split_at(i, hi)) {
				/*
				 * Out of memory: the part above is opened, and no longer
				 * followed.
				 */
				KT_KERNEL(SYS_mprotect, hi, item_end - hi, m->protection);
			}
			m = &table.items[i];
		}
		if (lo > m->start) {
			drop_back(m, lo);
		} else {
			drop_front(m, hi);
		}
		if (item_end > end) {
			break;
		}
		i++;
	}
	publish();
	kt_change_end(&signals);
}

/*
 * Adds the mapping that mremap has made of a piece, with `length` bytes at `to`. If
 * `length` is 0, adds none. If `keep`, the old mapping stays, so its alias is duplicated.
 * Otherwise the caller has removed the piece from the table, and its alias grows or shrinks
 * to `length` bytes.
 */
static void move_piece(struct kt_mapping piece, uintptr_t to, size_t length, bool keep)
{
	const uintptr_t end = piece.start + piece.length;
	size_t old_length = keep ? 0 : piece.length;
	long alias;

	if (!length) {
		unmap_alias(&piece, piece.start, end);
		return;
	}
	if (!piece.alias || (!keep && length <= old_length)) {
		unmap_alias(&piece, piece.start + length, end);
	} else {
		alias = KT_KERNEL_TRY(SYS_mremap, piece.alias, old_length, length,
				      MREMAP_MAYMOVE);
		if (kt_kernel_failed(alias) && !keep) {
			unmap_alias(&piece, piece.start, end);
		}
		piece.alias = kt_kernel_failed(alias) ? NULL : (void *)alias;
	}
	if (length < piece.length) {
		drop_back(&piece, piece.start + length);
	}
	piece.start = to;
	piece.length = length;
	piece.held = 0;
	piece.n_windows = 0;
	kt_mapping_add(&piece);
}

void kt_mapping_move(uintptr_t from, size_t length, uintptr_t to, size_t new_length,
		     bool keep)
{
	uintptr_t end = from + (length ? length : new_length);
	uintptr_t reached = from;
	uint32_t old_ordinal = 0;
	uint32_t ordinal = 0;
	uintptr_t base = 0;
	struct kt_mapping *m;
	uint64_t signals;

	if (!keep) {
		kt_mapping_split(from);
		kt_mapping_split(end);
	}
	while (reached < end &&
	       (m = kt_mapping_touching(reached, end - reached, reached))) {
		size_t i = (size_t)(m - table.items);
		struct kt_mapping piece = *m;
		uintptr_t at;
		size_t left;

		/*
		 * If `keep`, the old mapping stays in the table, and `piece`, a copy of it,
		 * is cut to [from, end). Otherwise, the old mapping is removed.
		 */
		if (!keep) {
			kt_change_begin(&signals);
			remove_at(i);
			publish();
			kt_change_end(&signals);
		}
		if (keep && piece.start + piece.length > end) {
			drop_back(&piece, end);
		}
		if (keep && piece.start < from) {
			drop_front(&piece, from);
		}
		at = piece.start - from;
		left = new_length > at ? new_length - at : 0;
		reached = piece.start + piece.length;
		if (left > piece.length &&
		    (new_length <= length ||
		     (reached < end &&
		      kt_mapping_touching(reached, end - reached, reached)))) {
			left = piece.length; /* only the last piece may grow */
		}
		if (piece.ordinal != old_ordinal) {
			old_ordinal = piece.ordinal;
			ordinal = kt_mapping_next_ordinal();
			base = to + at;
		}
		piece.ordinal = ordinal;
		piece.base = base;
		move_piece(piece, to + at, left, keep);
	}
}

void kt_mapping_each_in(uintptr_t start, size_t length,
			void (*visit)(struct kt_mapping *mapping, void *context),
			void *context)
{
	uintptr_t from = start;
	struct kt_mapping *m;

	while ((m = kt_mapping_touching(start, length, from)) != NULL) {
		from = m->start + m->length;
		visit(m, context);
	}
}

void kt_mapping_each(void (*visit)(struct kt_mapping *mapping, void *context),
		     void *context)
{
	for (size_t i = 0; i < table.n; i++) {
		visit(&table.items[i], context);
	}
}
