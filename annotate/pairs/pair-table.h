/* SPDX-License-Identifier: MIT */
/* Tables of resources, of how they ended, and of wrong releases. */
#ifndef KTAIL_ANNOTATE_PAIR_TABLE_H
#define KTAIL_ANNOTATE_PAIR_TABLE_H

#include "annotate/pairs/pairs.h"
#include "base/table.h"

/*
 * Makes one row for each resource, in order of creation. If `left_only` is true, makes rows
 * only for resources left at exit. `paths` are indexed by trace. Texts belong to `pairs` and
 * `paths`. The caller frees *out with kt_table_free(), also on failure. KT_E_MEMORY.
 */
int kt_pair_table_resources(struct kt_table *out, const struct kt_pairs *pairs,
			    const char *const *paths, bool left_only);

/* Makes one row for each wrong release. Ownership and errors as in the function above. */
int kt_pair_table_wrong(struct kt_table *out, const struct kt_pairs *pairs,
			const char *const *paths);

/*
 * Makes one row for each kind of resource, sorted by group and kind: how many resources were
 * created, how they ended, and the median and 99th percentile of the lifetimes of resources
 * that were taken down. Texts belong to `pairs`. The caller frees *out with kt_table_free(),
 * also on failure. KT_E_MEMORY. O(resources log resources).
 */
int kt_pair_table_kinds(struct kt_table *out, const struct kt_pairs *pairs);

#endif
