/* SPDX-License-Identifier: MIT */
/*
 * Summary of resources left at exit and of wrong releases, for human readers. Each row has
 * the number of equal cases, and trace, time and seq of the first case. Rows are in the order
 * of their first cases.
 */
#ifndef KTAIL_ANNOTATE_PAIR_SUMS_H
#define KTAIL_ANNOTATE_PAIR_SUMS_H

#include "annotate/pairs/pairs.h"
#include "base/table.h"

/*
 * Sums the resources left when a process exited, by group, kind and the call that created
 * them. `paths` are indexed by trace. Texts belong to `pairs` and `paths`. The caller frees
 * *out with kt_table_free(), also on failure. KT_E_MEMORY. O(resources * rows).
 */
int kt_pair_sums_left(struct kt_table *out, const struct kt_pairs *pairs,
		      const char *const *paths);

/*
 * Sums wrong releases by group, kind, enum kt_misstep and call. Ownership and errors as in
 * kt_pair_sums_left().
 */
int kt_pair_sums_wrong(struct kt_table *out, const struct kt_pairs *pairs,
		       const char *const *paths);

#endif
