/* SPDX-License-Identifier: MIT */
/*
 * Counts how often the sequences that only one machine has occur in the words that it was
 * inferred from. As states are merged, a machine can read sequences that no word contains;
 * an occurrence in a word is evidence of the difference.
 */
#ifndef KTAIL_DIFF_SEEN_H
#define KTAIL_DIFF_SEEN_H

#include "infer/ktail/diff/diff-versions.h"

struct kt_diff_seen {
	const struct kt_diff_sequence *list; /* Weak */
	size_t n;
	/* Owned by this; NULL if a version has no words or nothing is counted */
	uint64_t *times;
};

/*
 * Counts each sequence of the difference in the words of its version. O(letters log
 * sequences). The caller frees out->times.
 */
int kt_diff_count_seen(struct kt_diff_seen *out, const struct kt_diff_versions *versions,
		       const kt_diff *diff);

#endif
