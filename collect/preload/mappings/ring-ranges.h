/* SPDX-License-Identifier: MIT */
/*
 * Locates rings and GP_PUTs in the program's memory ("ranges"), and keeps copies of their
 * dwords. The contents of a copy come from observed stores
 * (collect/preload/submissions/ring-stores.h), and are forgotten when a store may have gone
 * unobserved. The caller holds the lock. Signal-safe unless noted.
 */
#ifndef KTAIL_COLLECT_RING_RANGES_H
#define KTAIL_COLLECT_RING_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/channel.h"

enum kt_rings_mode {
	KT_RINGS_BUS,    /* rings are read at each doorbell */
	KT_RINGS_STORES, /* copies are used; rings are read if a store may be missing */
	KT_RINGS_CHECK,  /* rings are read, and compared with the copies */
	KT_RINGS_AUTO,   /* only before start: chooses KT_RINGS_STORES or KT_RINGS_BUS */
};

/* Source of ring contents; set once, before any channel is created. */
extern enum kt_rings_mode kt_rings_mode;

#define KT_RING_WORD 4u /* bytes of a dword */

/* Rings with more entries are not followed. */
#define KT_RING_ENTRIES_MAX (1u << 20)

/* A range of memory, and the known values of its dwords. */
struct kt_ring_range {
	uintptr_t lo; /* address in the program's mapping; 0: cannot be followed */
	size_t bytes;
	uint32_t ordinal; /* ordinal of the program's mapping */
	uint32_t *words;  /* Weak: in the memory of the copy, like `known` */
	bool *known;
	struct kt_ring_copy *put_of; /* Weak: if this is a GP_PUT, the copy; else NULL */
};

struct kt_ring_copy {
	struct kt_channel_alloc alloc;
	size_t size; /* bytes of the struct and of the arrays after it */
	uint32_t last_put;
	uint32_t put_word;
	bool put_known;
	bool sampled;    /* the last GP_PUT was a sample (ring-stores.h) */
	bool distrusted; /* a sample differed from the observed stores */
	uint32_t taken;  /* known GP_PUTs that were asked for */
	struct kt_ring_range put;
	struct kt_ring_range ring;
	/* Followed by the ring's dwords, then by their known flags. */
};

static inline uintptr_t kt_ring_range_end(const struct kt_ring_range *range)
{
	return range->lo + range->bytes;
}

/*
 * Starts following a channel. The contents of its ring are unknown at first; the next
 * kt_rings_settle() locates the ring. Returns NULL when out of memory, or with
 * KT_RINGS_BUS. The caller owns the copy and passes it to kt_ring_unfollow(). Neither
 * kt_ring_follow() nor kt_ring_unfollow() is signal-safe.
 */
struct kt_ring_copy *kt_ring_follow(const struct kt_channel_alloc *alloc);
void kt_ring_unfollow(struct kt_ring_copy *copy); /* NULL is allowed */

/*
 * Locates the ranges again after a change of channels, mappings or GPU addresses. Call it
 * before the lock is released: between the change and the call, all contents count as
 * unknown. After the call, the ranges that have not moved have their contents again.
 * Returns true if a range was added, removed or moved: pages must then be opened and closed
 * (kt_access_watch_rings()). Not signal-safe.
 * O(channels * mappings) after a change, else O(1).
 */
bool kt_rings_settle(void);

/*
 * Finds the first group of adjacent pages in [*lo, hi) that hold ranges, and writes its
 * bounds to *lo and *end. Returns false if no page there holds a range.
 */
bool kt_ring_next_pages(uintptr_t *lo, uintptr_t hi, uintptr_t *end);

/* Call if stores to [start, start + length) may be unobserved: forgets the dwords there. */
void kt_ring_unseen(uintptr_t start, size_t length);

/* Call when a child that shares the memory was created: forgets all dwords. */
void kt_ring_all_unseen(void);

/*
 * Writes the value, lowest byte first, to the copies of [address, address + size). Dwords
 * of which only a part is written become unknown. If `known` is false, all dwords there
 * become unknown. Returns false if no range overlaps [address, address + size).
 */
bool kt_ring_put_all(uintptr_t address, size_t size, bool known, uint64_t value);

/*
 * Returns whether ranges may have moved since kt_rings_settle(), so that their contents
 * count as unknown.
 */
bool kt_ring_ranges_stale(void);

/*
 * Returns false only if no range overlaps [start, end). May return true although none does,
 * because it compares only with the lowest and the highest address of all ranges.
 */
bool kt_ring_ranges_near(uintptr_t start, uintptr_t end);

/*
 * Writes to *lo and *hi the bounds of the addresses around `address` that no range
 * overlaps; both are `address` if it lies in a range, or if ranges may have moved. O(log
 * n).
 */
void kt_ring_ranges_gap(uintptr_t address, uintptr_t *lo, uintptr_t *hi);

/* Returns the index of the first range that ends above the address. O(log n). */
size_t kt_ring_ranges_above(uintptr_t address);

/* Returns the range with that index, in the order of addresses; NULL after the last one. */
const struct kt_ring_range *kt_ring_range_at(size_t index);

/*
 * Notes a store near a range. If ranges are stale, the next kt_rings_settle() forgets all
 * contents.
 */
void kt_ring_store_came(void);

#endif
