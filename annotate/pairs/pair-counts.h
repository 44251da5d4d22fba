/* SPDX-License-Identifier: MIT */
/*
 * Counts calls that create and destroy resources, as pairs: ioctls of the unified-memory
 * driver, of OS events and of RM mappings, and calls of the API. Creating and destroying calls
 * cannot be matched, since the trace does not identify the resource of each call.
 */
#ifndef KTAIL_ANNOTATE_PAIR_COUNTS_H
#define KTAIL_ANNOTATE_PAIR_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "base/table.h"

/* All zero: nothing counted. Free with kt_pair_counts_free(). */
struct kt_pair_counts {
	uint64_t *up;   /* Owned by this: creating calls by pair; NULL: nothing counted */
	uint64_t *down; /* Owned by this: destroying calls by pair; NULL: nothing counted */
};

/* Count an ioctl or a returned call of the API unless it reported an error. KT_E_MEMORY. */
int kt_pair_counts_ioctl(struct kt_pair_counts *counts, const struct kt_call *call);
int kt_pair_counts_call(struct kt_pair_counts *counts, const struct kt_activity_call *call);

/*
 * Writes one row for each pair with at least one counted call. Texts are static. The caller frees
 * *out with kt_table_free(), also on failure. KT_E_MEMORY.
 */
int kt_pair_counts_table(struct kt_table *out, const struct kt_pair_counts *counts);

void kt_pair_counts_free(struct kt_pair_counts *counts);

#endif
