/* SPDX-License-Identifier: MIT */
/* Resources and their ends, as tables. */
#ifndef KTAIL_ANNOTATE_PAIR_TABLE_H
#define KTAIL_ANNOTATE_PAIR_TABLE_H

#include "annotate/pairs/pairs.h"
#include "base/table.h"

/*
 * One row for each resource, in order of creation; `left_only`: only those left at exit.
 * `paths`: by trace. Texts belong to `pairs` and `paths`. The caller frees *out with
 * kt_table_free(), also on failure. KT_E_MEMORY.
 */
int kt_pair_table_resources(struct kt_table *out, const struct kt_pairs *pairs,
			    const char *const *paths, bool left_only);

/* One row for each wrong release. Ownership and errors as above. */
int kt_pair_table_wrong(struct kt_table *out, const struct kt_pairs *pairs,
			const char *const *paths);

/*
 * One row for each kind of resource, by group and name: how many were created, how they
 * ended, and the median and 99th percentile of the lifetime of those released. O(resources
 * log resources).
 */
int kt_pair_table_kinds(struct kt_table *out, const struct kt_pairs *pairs);

#endif
