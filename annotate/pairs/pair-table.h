/* SPDX-License-Identifier: MIT */
/* What was set up and taken down, as tables. */
#ifndef KTAIL_ANNOTATE_PAIR_TABLE_H
#define KTAIL_ANNOTATE_PAIR_TABLE_H

#include "annotate/pairs/pairs.h"
#include "base/table.h"

/*
 * A row for each thing, in order of setup; `left_only`: those alone that a process left
 * when it exited. paths: by trace. Texts are those of `pairs` and `paths`. The caller frees
 * *out with kt_table_free(), also on failure. KT_E_MEMORY.
 */
int kt_pair_table_resources(struct kt_table *out, const struct kt_pairs *pairs,
			    const char *const *paths, bool left_only);

/* A row for each thing that was taken down and was not there. Likewise. */
int kt_pair_table_wrong(struct kt_table *out, const struct kt_pairs *pairs,
			const char *const *paths);

/*
 * A row for each kind of thing: how many were set up, and how they ended; how long those
 * lived that were taken down, median and 99th percentile. By group, then by name. Likewise;
 * O(things log things).
 */
int kt_pair_table_kinds(struct kt_table *out, const struct kt_pairs *pairs);

#endif
