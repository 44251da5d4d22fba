/* SPDX-License-Identifier: MIT */
/*
 * Where rings and GP_PUTs lie in the program's memory, and the copies of them, word by
 * word. What is known of a copy comes from stores
 * (collect/preload/submissions/ring-stores.h), and is forgotten where a store may have gone
 * unseen. The lock is held for all functions here. Signal-safe, unless said otherwise.
 */
#ifndef KTAIL_COLLECT_RING_RANGES_H
#define KTAIL_COLLECT_RING_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/channel.h"

enum kt_rings_mode {
	KT_RINGS_BUS,    /* read, at each doorbell */
	KT_RINGS_STORES, /* from the stores; read where one may have gone unseen */
	KT_RINGS_CHECK,  /* read, and compared with the stores */
};

/* Where rings are taken from; set once, before any channel is made. */
extern enum kt_rings_mode kt_rings_mode;

#define KT_RING_WORD 4u /* bytes */

/* A ring of more entries is not followed. */
#define KT_RING_ENTRIES_MAX (1u << 20)

/* Words of memory, and what is known of them. */
struct kt_ring_range {
	uintptr_t lo; /* in the program's mapping; 0: nowhere that could be followed */
	size_t bytes;
	uint32_t ordinal; /* of that mapping */
	uint32_t *words;  /* Owned by the copy, as the next */
	bool *known;
	struct kt_ring_copy *put_of; /* Weak; whose GP_PUT it is, NULL: it is a ring */
};

struct kt_ring_copy {
	struct kt_channel_alloc alloc;
	size_t size; /* of all of it, in bytes */
	uint32_t last_put;
	uint32_t put_word;
	bool put_known;
	struct kt_ring_range put;
	struct kt_ring_range ring;
	/* After it: the ring's words, then what is known of them */
};

static inline uintptr_t kt_ring_range_end(const struct kt_ring_range *range)
{
	return range->lo + range->bytes;
}

/*
 * Begins to follow a channel; nothing of it is known yet, nor is its place before the next
 * kt_rings_settle(). NULL: out of memory, or rings are read across the bus alone. It
 * belongs to the caller, who gives it to kt_ring_unfollow(). Neither is for signal
 * handlers.
 */
struct kt_ring_copy *kt_ring_follow(const struct kt_channel_alloc *alloc);
void kt_ring_unfollow(struct kt_ring_copy *copy); /* NULL is allowed */

/*
 * To be called when channels, mappings or GPU addresses may have changed, and before the
 * lock is given back; until then nothing is known. Finds the places anew; what is known in
 * those that are where they were stays. true: some place has come, gone or moved: pages
 * are to be opened and closed (kt_access_watch_rings()). Not for signal handlers.
 * O(channels * mappings) after a change, else two compares.
 */
bool kt_rings_settle(void);

/*
 * The next pages from *lo on, and below `hi`, that hold a place: [*lo, *end). false: none.
 */
bool kt_ring_next_pages(uintptr_t *lo, uintptr_t hi, uintptr_t *end);

/* Stores to [start, start + length) may have gone unseen, or may do so from now on. */
void kt_ring_unseen(uintptr_t start, size_t length);

/* All of memory: a child has been made that shares it. */
void kt_ring_all_unseen(void);

/*
 * [address, address + size) of all copies gets the value, its lowest byte first, if it is
 * known. false: there is no place.
 */
bool kt_ring_put_all(uintptr_t address, size_t size, bool known, uint64_t value);

/* Whether places may have moved since kt_rings_settle(): nothing is known then. */
bool kt_ring_ranges_stale(void);

/* Whether any place may lie in [start, end). Two compares. */
bool kt_ring_ranges_near(uintptr_t start, uintptr_t end);

/* Index of the first place that ends above the address. O(log n). */
size_t kt_ring_ranges_above(uintptr_t address);

/* Places by address, disjoint; NULL after the last one. */
const struct kt_ring_range *kt_ring_range_at(size_t index);

/* A store near a place: one that comes while places are stale may be lost. */
void kt_ring_store_came(void);

#endif
