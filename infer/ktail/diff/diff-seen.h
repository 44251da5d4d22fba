/* SPDX-License-Identifier: MIT */
/*
 * For each sequence that only one machine allows, counts how often it occurs in the words
 * from which that machine was inferred. Merged states also allow sequences that no word
 * contains, so only an occurrence is evidence of a difference between the programs.
 */
#ifndef KTAIL_DIFF_SEEN_H
#define KTAIL_DIFF_SEEN_H

#include "infer/ktail/diff/diff-versions.h"

struct kt_diff_seen {
	const struct kt_diff_sequence *list; /* Weak */
	size_t n;
	/*
	 * Owned by this: for each sequence, its occurrences; NULL if a version has no words
	 * or there are no sequences
	 */
	uint64_t *times;
};

/*
 * Counts each sequence of the difference in the words of the version whose machine allows
 * it. O(letters log sequences). The caller frees out->times.
 */
int kt_diff_count_seen(struct kt_diff_seen *out, const struct kt_diff_versions *versions,
		       const kt_diff *diff);

#endif
