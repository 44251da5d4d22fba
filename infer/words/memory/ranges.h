/* SPDX-License-Identifier: MIT */
/* Sets of byte ranges in the mappings of processes. */
#ifndef KTAIL_WORDS_RANGES_H
#define KTAIL_WORDS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_range {
	uint64_t instance; /* ordinal of the process instance */
	uint32_t mapping;
	uint64_t from; /* offset into the mapping */
	uint64_t to;   /* offset after the last byte */
};

/* Empty if all members are zero. Free with kt_ranges_free(). */
struct kt_ranges {
	struct kt_range *items; /* Owned by this */
	size_t n;
	size_t capacity;
	size_t settled; /* number of items at the start that are sorted and disjoint */
};

/* Adds a range, which may overlap others. KT_E_MEMORY. Amortised O(log n). */
int kt_ranges_add(struct kt_ranges *ranges, const struct kt_range *range);

/* Sorts and merges the ranges; required before kt_ranges_hold(). O(n log n). */
void kt_ranges_settle(struct kt_ranges *ranges);

/* Returns whether a settled range contains the offset. O(log n). */
bool kt_ranges_hold(const struct kt_ranges *ranges, uint64_t instance, uint32_t mapping,
		    uint64_t offset);

void kt_ranges_free(struct kt_ranges *ranges);

#endif
