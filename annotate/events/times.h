/* SPDX-License-Identifier: MIT */
/* Durations by owner. All samples are kept, so that the statistics are exact. */
#ifndef KTAIL_ANNOTATE_TIMES_H
#define KTAIL_ANNOTATE_TIMES_H

#include <stddef.h>
#include <stdint.h>

/* Empty if all members are zero. Free with kt_times_free(). */
struct kt_times {
	struct kt_time_sample {
		uint64_t time; /* ns */
		uint32_t owner;
	} * samples; /* Owned by this; kt_times_sort() orders them by owner and time */
	size_t n;
	size_t capacity;
};

/* Statistics of samples. Percentiles are by nearest rank: each is a sample. */
struct kt_time_summary {
	uint64_t n; /* number of samples; if 0, the other members are 0 */
	uint64_t total;
	uint64_t median;
	uint64_t p99;
};

/* Adds a sample, which takes 16 bytes. KT_E_MEMORY. Amortised O(1). */
int kt_times_add(struct kt_times *times, uint32_t owner, uint64_t time);

/* Sorts the samples; none may be added afterwards. O(n log n). */
void kt_times_sort(struct kt_times *times);

/*
 * Returns the statistics of an owner. Call only after kt_times_sort(). O(log n + samples of
 * the owner).
 */
struct kt_time_summary kt_times_of(const struct kt_times *times, uint32_t owner);

void kt_times_free(struct kt_times *times);

#endif
