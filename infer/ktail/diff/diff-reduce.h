/* SPDX-License-Identifier: MIT */
/*
 * Both versions of `ktail diff` with letters left out, or runs of letters counted as one.
 */
#ifndef KTAIL_DIFF_REDUCE_H
#define KTAIL_DIFF_REDUCE_H

#include <stdbool.h>

#include <ktail/reduce.h>

#include "infer/ktail/diff/diff-versions.h"

/* Writes whether both versions have the same reduced words, whatever the number of each. */
int kt_diff_same_words(bool *out, const struct kt_diff_versions *versions,
		       const struct kt_reduction *reduction);

/*
 * Writes whether the machines inferred from both versions' reduced words, with the given k,
 * accept the same words.
 */
int kt_diff_same_machines(bool *out, const struct kt_diff_versions *versions,
			  const struct kt_reduction *reduction);

/*
 * Writes whether both machines, reduced, accept the same words. Writes false if a reduced
 * machine would have more than 20,000 states or the reductions would take more than *steps
 * steps; see kt_reduce_machine().
 */
int kt_diff_same_language(bool *out, const struct kt_diff_versions *versions,
			  const struct kt_reduction *reduction, uint64_t *steps);

/*
 * Apply --without, then --runs, to both versions: to their words before machines are
 * inferred from them, or to their machines. KT_E_USAGE if a reduced machine would have more
 * than 20,000 states.
 */
int kt_diff_reduce_words(struct kt_diff_versions *versions);
int kt_diff_reduce_machines(struct kt_diff_versions *versions);

#endif
