/* SPDX-License-Identifier: MIT */
/* Numbers by numbers: addresses, handles, threads, each with one place in an array. */
#ifndef KTAIL_ANNOTATE_NUMBER_MAP_H
#define KTAIL_ANNOTATE_NUMBER_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

/* Stands for no place. */
#define KT_NOWHERE SIZE_MAX

/* All zero: empty. Free with kt_number_map_free(). */
struct kt_number_map {
	struct kt_number_pair {
		uint64_t key;
		size_t value;
	} * pairs; /* Owned by this: as they came */
	size_t n;
	size_t capacity;
	struct kt_hash_index by_key; /* of pairs */
};

/* The value of a key, or KT_NOWHERE. O(1), expected. */
size_t kt_number_map_get(const struct kt_number_map *map, uint64_t key);

/* Sets it; a value is less than KT_NOWHERE. KT_E_MEMORY. Amortised O(1), expected. */
int kt_number_map_set(struct kt_number_map *map, uint64_t key, size_t value);

/* Leaves it empty. */
void kt_number_map_free(struct kt_number_map *map);

#endif
