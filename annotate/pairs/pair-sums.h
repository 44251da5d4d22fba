/* SPDX-License-Identifier: MIT */
/*
 * What processes left, and what they took down that was not there, summed up for people: a
 * row for all that is alike, in order of the first of them, which it shows.
 */
#ifndef KTAIL_ANNOTATE_PAIR_SUMS_H
#define KTAIL_ANNOTATE_PAIR_SUMS_H

#include "annotate/pairs/pairs.h"
#include "base/table.h"

/*
 * Things that a process left when it exited, by group, kind and the call that made them.
 * paths: by trace. Texts are those of `pairs` and `paths`. The caller frees *out with
 * kt_table_free(), also on failure. KT_E_MEMORY. O(things x rows).
 */
int kt_pair_sums_left(struct kt_table *out, const struct kt_pairs *pairs,
		      const char *const *paths);

/* By group, kind, misstep and call. Likewise. */
int kt_pair_sums_wrong(struct kt_table *out, const struct kt_pairs *pairs,
		       const char *const *paths);

#endif
