/* SPDX-License-Identifier: MIT */
/* Leaves letters out of both versions of `ktail diff`, or counts runs of letters as one. */
#ifndef KTAIL_DIFF_REDUCE_H
#define KTAIL_DIFF_REDUCE_H

#include <stdbool.h>

#include <ktail/reduce.h>

#include "infer/ktail/diff/diff-versions.h"

/*
 * Sets *out to whether both versions have the same set of reduced words, however often each
 * occurs. Truncated words differ from complete ones.
 */
int kt_diff_same_words(bool *out, const struct kt_diff_versions *versions,
		       const struct kt_reduction *reduction);

/*
 * Sets *out to whether the machines inferred from both versions' reduced words, with
 * versions->operand.k, accept the same words.
 */
int kt_diff_same_machines(bool *out, const struct kt_diff_versions *versions,
			  const struct kt_reduction *reduction);

/*
 * Sets *out to whether both machines, reduced, accept the same words; false if a limit is
 * exceeded: 20,000 states, or *steps explored transitions (see kt_reduce_machine()).
 */
int kt_diff_same_language(bool *out, const struct kt_diff_versions *versions,
			  const struct kt_reduction *reduction, uint64_t *steps);

/*
 * Apply --without, then --runs, to both versions. kt_diff_reduce_words() applies them to
 * the words, before machines are inferred. kt_diff_reduce_machines() applies them to the
 * machines, and returns KT_E_USAGE if a reduced machine would have more than 20,000 states.
 */
int kt_diff_reduce_words(struct kt_diff_versions *versions);
int kt_diff_reduce_machines(struct kt_diff_versions *versions);

#endif
