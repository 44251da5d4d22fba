/* SPDX-License-Identifier: MIT */
/*
 * Counts how often sequences that only one machine has occur in the words it was inferred
 * from. Merged states allow more than any word contains; an occurrence is evidence.
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
