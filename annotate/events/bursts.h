/* SPDX-License-Identifier: MIT */
/*
 * Bursts of reads: consecutive reads of a thread with no other event of the thread in
 * between. Only the event after the burst shows whether the reads waited for the GPU or
 * just checked its progress, so they are kept until the burst ends.
 */
#ifndef KTAIL_ANNOTATE_BURSTS_H
#define KTAIL_ANNOTATE_BURSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"

/* A burst ends at the latest after this many reads. */
#define KT_BURST_READS 100000

struct kt_burst_read {
	uint64_t time;
	uint64_t seq;
	uint64_t offset;
	uint32_t mapping;
	const struct kt_activity_call *call; /* Weak: innermost call; outlives the burst */
};

struct kt_burst {
	uint64_t instance;
	uint32_t tid;
	uint32_t pid;
	struct kt_burst_read *reads; /* Owned by this */
	size_t n;
	size_t capacity;
};

/* Empty if all members are zero. Free with kt_bursts_free(). */
struct kt_bursts {
	struct kt_burst *bursts; /* Owned by this: one per thread */
	size_t n;
	size_t capacity;
};

/*
 * Finds the burst of the moment's thread, or adds an empty burst. KT_E_MEMORY. Searches
 * from the newest burst on: O(threads).
 */
int kt_bursts_find(struct kt_burst **out, struct kt_bursts *bursts,
		   const struct kt_moment *moment);

int kt_burst_add(struct kt_burst *burst, const struct kt_moment *moment,
		 const struct kt_access_fields *fields);

/* Removes the bursts of a process instance; with UINT64_MAX, all bursts. */
void kt_bursts_forget(struct kt_bursts *bursts, uint64_t instance);

void kt_bursts_free(struct kt_bursts *bursts);

#endif
