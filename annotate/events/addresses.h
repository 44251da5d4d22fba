/* SPDX-License-Identifier: MIT */
/*
 * What lies at an address of a process: ranges, each with a value, that come and go and may
 * overlap; the newest one is what is there. Ranges are kept by the power of two that they
 * fit in, so each lies in two blocks of that size at most.
 */
#ifndef KTAIL_ANNOTATE_ADDRESSES_H
#define KTAIL_ANNOTATE_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/events/number-map.h"

/* Kept twice if it lies in two blocks. */
struct kt_address_range {
	uint64_t instance;
	uint64_t from;
	uint64_t last; /* its last byte */
	size_t value;
	size_t order; /* of coming */
	size_t older; /* of the same block: index + 1; 0: none */
};

/* All zero: none. Free with kt_addresses_free(). */
struct kt_addresses {
	struct kt_address_range *ranges; /* Owned by this */
	size_t n;
	size_t capacity;
	size_t unused; /* the first range that is gone, by `older`: index + 1 */
	size_t added;
	struct kt_number_map blocks; /* -> index of the newest range */
	uint64_t sizes;              /* bit i: there was a range that fits in 2^i bytes */
};

/*
 * [from, from + length) is there from now on; what would go on after the last address ends
 * there, and without a length it is nowhere. KT_E_MEMORY. Amortised O(1), expected, where
 * few ranges of about one size overlap.
 */
int kt_addresses_add(struct kt_addresses *addresses, uint64_t instance, uint64_t from,
		     uint64_t length, size_t value);

/* All ranges that came with this place, length and value are gone. As above. */
void kt_addresses_remove(struct kt_addresses *addresses, uint64_t instance, uint64_t from,
			 uint64_t length, size_t value);

/* The value of the newest range that holds an address; KT_NOWHERE: none. O(sizes that there
 * are), expected, as above. */
size_t kt_addresses_find(const struct kt_addresses *addresses, uint64_t instance,
			 uint64_t address);

/* Leaves it empty. */
void kt_addresses_free(struct kt_addresses *addresses);

#endif
