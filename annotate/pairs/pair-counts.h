/* SPDX-License-Identifier: MIT */
/*
 * Pairs that can only be counted, since the trace does not identify the resource of each
 * call: ioctls of the unified-memory driver and of OS events, and calls of the API that
 * create and destroy resources.
 */
#ifndef KTAIL_ANNOTATE_PAIR_COUNTS_H
#define KTAIL_ANNOTATE_PAIR_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "base/table.h"

/* All zero: nothing counted. Free with kt_pair_counts_free(). */
struct kt_pair_counts {
	uint64_t *up;   /* Owned by this: by row of the table; NULL: nothing counted */
	uint64_t *down; /* Owned by this: as `up` */
};

/* Counts a successful ioctl or call of the API. KT_E_MEMORY. */
int kt_pair_counts_ioctl(struct kt_pair_counts *counts, const struct kt_call *call);
int kt_pair_counts_call(struct kt_pair_counts *counts, const struct kt_activity_call *call);

/* Writes one row for each pair counted. Texts are static. KT_E_MEMORY. */
int kt_pair_counts_table(struct kt_table *out, const struct kt_pair_counts *counts);

void kt_pair_counts_free(struct kt_pair_counts *counts);

#endif
