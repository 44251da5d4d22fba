/* SPDX-License-Identifier: MIT */
/* Both sides of `ktail diff` with letters left out, or runs of them taken as one. */
#ifndef KTAIL_DIFF_REDUCE_H
#define KTAIL_DIFF_REDUCE_H

#include <stdbool.h>

#include <ktail/reduce.h>

#include "infer/ktail/diff/diff-versions.h"

/* Whether the words of both sides are the same ones, reduced; how often does not matter. */
int kt_diff_same_words(bool *out, const struct kt_diff_versions *versions,
		       const struct kt_reduction *reduction);

/*
 * Whether the machines inferred from both sides' words, reduced, accept the same words; by
 * the k that is in use.
 */
int kt_diff_same_machines(bool *out, const struct kt_diff_versions *versions,
			  const struct kt_reduction *reduction);

/*
 * Whether both machines accept the same words, reduced; false where a reduced machine would
 * have more than 20,000 states, or take more than *steps, see kt_reduce_machine().
 */
int kt_diff_same_language(bool *out, const struct kt_diff_versions *versions,
			  const struct kt_reduction *reduction, uint64_t *steps);

/*
 * Replaces what both sides have by what was asked for: letters left out, then runs taken as
 * one. Words are reduced before anything is inferred from them. KT_E_USAGE where a reduced
 * machine would have more than 20,000 states.
 */
int kt_diff_reduce_words(struct kt_diff_versions *versions);
int kt_diff_reduce_machines(struct kt_diff_versions *versions);

#endif
