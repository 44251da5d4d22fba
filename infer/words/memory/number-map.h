/* SPDX-License-Identifier: MIT */
/* A hash map from 64-bit numbers (addresses, handles, threads) to array indexes. */
#ifndef KTAIL_WORDS_NUMBER_MAP_H
#define KTAIL_WORDS_NUMBER_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

/* The value of a missing key. */
#define KT_NOWHERE SIZE_MAX

/* Empty if all members are zero. Free with kt_number_map_free(). */
struct kt_number_map {
	struct kt_number_pair {
		uint64_t key;
		size_t value;
	} * pairs; /* Owned by this: in order of insertion */
	size_t n;
	size_t capacity;
	struct kt_hash_index by_key; /* key -> index in `pairs` */
};

/* Returns the value of a key, or KT_NOWHERE. O(1), expected. */
size_t kt_number_map_get(const struct kt_number_map *map, uint64_t key);

/*
 * Sets the value of a key. The value must be less than KT_NOWHERE. KT_E_MEMORY. Amortised
 * O(1), expected.
 */
int kt_number_map_set(struct kt_number_map *map, uint64_t key, size_t value);

/* Frees the pairs and leaves the map empty. */
void kt_number_map_free(struct kt_number_map *map);

#endif
