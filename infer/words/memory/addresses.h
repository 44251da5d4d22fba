/* SPDX-License-Identifier: MIT */
/*
 * Maps addresses of processes to values. Ranges are added and removed and may overlap; the
 * newest range that contains an address counts. A range is stored in each block that it
 * touches. The block size is a power of two, and at least the length of the range, so a
 * range touches at most two blocks.
 */
#ifndef KTAIL_WORDS_ADDRESSES_H
#define KTAIL_WORDS_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

#include "infer/words/memory/number-map.h"

/* A range; stored twice if it touches two blocks. */
struct kt_address_range {
	uint64_t instance;
	uint64_t from;
	uint64_t last; /* address of the last byte */
	size_t value;
	size_t order; /* number of ranges added before */
	size_t older; /* index + 1 of the next older range in the block; 0: none */
};

/* Empty if all members are zero. Free with kt_addresses_free(). */
struct kt_addresses {
	struct kt_address_range *ranges; /* Owned by this */
	size_t n;
	size_t capacity;
	size_t unused; /* index + 1 of the first free slot, linked by `older`; 0: none */
	size_t added;
	struct kt_number_map blocks; /* block -> index of the newest range in it */
	uint64_t sizes;              /* bit i: blocks of 2^i bytes have been used */
};

/*
 * Adds the range [from, from + length), cut off at the last address; adds nothing if
 * length is 0. KT_E_MEMORY. Amortised O(1), expected.
 */
int kt_addresses_add(struct kt_addresses *addresses, uint64_t instance, uint64_t from,
		     uint64_t length, size_t value);

/*
 * Removes all ranges added with the same arguments. O(1), expected, if few ranges of
 * similar size overlap.
 */
void kt_addresses_remove(struct kt_addresses *addresses, uint64_t instance, uint64_t from,
			 uint64_t length, size_t value);

/*
 * Returns the value of the newest range that contains the address, or KT_NOWHERE.
 * O(number of block sizes in use), expected, if few ranges of similar size overlap.
 */
size_t kt_addresses_find(const struct kt_addresses *addresses, uint64_t instance,
			 uint64_t address);

/* Frees the ranges and leaves the map empty. */
void kt_addresses_free(struct kt_addresses *addresses);

#endif
