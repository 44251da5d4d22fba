/* SPDX-License-Identifier: MIT */
/* Sets of ranges of bytes in the mappings of processes. */
#ifndef KTAIL_ANNOTATE_RANGES_H
#define KTAIL_ANNOTATE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_range {
	uint64_t instance; /* of the process */
	uint32_t mapping;
	uint64_t from; /* offset into the mapping */
	uint64_t to;   /* after the last byte */
};

/* All zero: empty. */
struct kt_ranges {
	struct kt_range *items; /* Owned by this */
	size_t n;
	size_t capacity;
	size_t settled; /* of these, in order and apart from each other */
};

/* Adds a range, which may overlap others. KT_E_MEMORY. Amortised O(log n). */
int kt_ranges_add(struct kt_ranges *ranges, const struct kt_range *range);

/* Puts it in order, so that it can be asked. O(n log n). */
void kt_ranges_settle(struct kt_ranges *ranges);

/* Whether an offset lies in a range; after kt_ranges_settle(). O(log n). */
bool kt_ranges_hold(const struct kt_ranges *ranges, uint64_t instance, uint32_t mapping,
		    uint64_t offset);

void kt_ranges_free(struct kt_ranges *ranges);

#endif
