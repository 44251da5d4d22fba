/* SPDX-License-Identifier: MIT */
/*
 * Where rings and GP_PUTs lie in the program's memory, and the copies that
 * collect/ring-stores.c keeps of them: for that alone; ring-stores.h has the functions that
 * others call, and what they say of lock and signals holds here. Signal-safe, all of these.
 */
#ifndef KTAIL_COLLECT_RING_PLACES_H
#define KTAIL_COLLECT_RING_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/channels.h"

#define KT_RING_WORD 4u /* bytes */

/* Words of memory, and what is known of them. */
struct kt_ring_place {
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
	struct kt_ring_place put;
	struct kt_ring_place ring;
	/* Behind it: the ring's words, then what is known of them */
};

static inline uintptr_t kt_ring_place_end(const struct kt_ring_place *place)
{
	return place->lo + place->bytes;
}

/* Whether places may have moved since kt_rings_settle(): nothing is known then. */
bool kt_ring_places_stale(void);

/* Whether any place may lie in [start, end). Two compares. */
bool kt_ring_places_near(uintptr_t start, uintptr_t end);

/* Index of the first place that ends above the address. O(log n). */
size_t kt_ring_places_above(uintptr_t address);

/* Places by address, disjoint; NULL behind the last one. */
const struct kt_ring_place *kt_ring_place_at(size_t index);

/* A store near a place: one that comes while places are stale may be lost. */
void kt_ring_store_came(void);

#endif
