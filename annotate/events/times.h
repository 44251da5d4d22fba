/* SPDX-License-Identifier: MIT */
/* Times by owner, all of them kept, so that what is said of them is exact. */
#ifndef KTAIL_ANNOTATE_TIMES_H
#define KTAIL_ANNOTATE_TIMES_H

#include <stddef.h>
#include <stdint.h>

/* All zero: none. */
struct kt_times {
	struct kt_time_sample {
		uint64_t time; /* ns */
		uint32_t owner;
	} * samples; /* Owned by this; by owner, then time, once sorted */
	size_t n;
	size_t capacity;
};

/* By nearest rank: values that were measured. */
struct kt_time_summary {
	uint64_t n; /* 0: none, and all else is 0 */
	uint64_t total;
	uint64_t median;
	uint64_t p99;
};

/* KT_E_MEMORY. Amortised O(1), 16 bytes each. */
int kt_times_add(struct kt_times *times, uint32_t owner, uint64_t time);

/* Nothing is added then. O(n log n). */
void kt_times_sort(struct kt_times *times);

/* Of one owner; after kt_times_sort(). O(log n + its own). */
struct kt_time_summary kt_times_of(const struct kt_times *times, uint32_t owner);

void kt_times_free(struct kt_times *times);

#endif
