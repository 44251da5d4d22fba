/* SPDX-License-Identifier: MIT */
/* Whether two sides of `ktail diff` are the same with some letters made less of. */
#ifndef KTAIL_DIFF_SAME_H
#define KTAIL_DIFF_SAME_H

#include "infer/ktail/diff-sides.h"

/* Whether the words of both sides are the same ones, reduced; how often does not matter. */
int kt_diff_same_words(bool *out, const struct kt_diff_sides *sides,
		       const struct kt_reduction *reduction);

/* Whether the machines inferred from both sides' words, reduced, accept the same words; by
 * the k that is in use. */
int kt_diff_same_machines(bool *out, const struct kt_diff_sides *sides,
			  const struct kt_reduction *reduction);

/*
 * Whether both machines accept the same words, reduced; false where that is too much, see
 * kt_diff_sides_reduce().
 */
int kt_diff_same_language(bool *out, const struct kt_diff_sides *sides,
			  const struct kt_reduction *reduction, uint64_t *steps);

#endif
