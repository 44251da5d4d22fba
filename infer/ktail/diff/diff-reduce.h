/* SPDX-License-Identifier: MIT */
/*
 * Both versions of `ktail diff` with letters left out, or runs of letters counted as one.
 */
#ifndef KTAIL_DIFF_REDUCE_H
#define KTAIL_DIFF_REDUCE_H

#include <stdbool.h>

#include <ktail/reduce.h>

#include "infer/ktail/diff/diff-versions.h"

/* Whether both versions have the same reduced words; their number does not matter. */
int kt_diff_same_words(bool *out, const struct kt_diff_versions *versions,
		       const struct kt_reduction *reduction);

/*
 * Whether the machines inferred from both versions' reduced words, by the given k, accept
 * the same words.
 */
int kt_diff_same_machines(bool *out, const struct kt_diff_versions *versions,
			  const struct kt_reduction *reduction);

/*
 * Whether both machines, reduced, accept the same words. False if a reduced machine would
 * have more than 20,000 states or take more than *steps; see kt_reduce_machine().
 */
int kt_diff_same_language(bool *out, const struct kt_diff_versions *versions,
			  const struct kt_reduction *reduction, uint64_t *steps);

/*
 * Apply --without, then --runs, to both versions; words are reduced before machines are
 * inferred from them. KT_E_USAGE if a reduced machine would have more than 20,000 states.
 */
int kt_diff_reduce_words(struct kt_diff_versions *versions);
int kt_diff_reduce_machines(struct kt_diff_versions *versions);

#endif
