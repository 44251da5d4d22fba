/* SPDX-License-Identifier: MIT */
/*
 * How often sequences that only one machine has were seen in the words it was inferred
 * from. Merging states lets a machine do more than any word did; what was seen is evidence.
 */
#ifndef KTAIL_DIFF_SEEN_H
#define KTAIL_DIFF_SEEN_H

#include "infer/ktail/diff/diff-versions.h"

struct kt_diff_seen {
	const struct kt_diff_sequence *list; /* Weak */
	size_t n;
	uint64_t *times; /* Owned by this; NULL where a side has no words, or nothing is
			    counted */
};

/*
 * Counts each of the difference's sequences in the words of its side, O(letters log
 * sequences). The caller frees out->times.
 */
int kt_diff_count_seen(struct kt_diff_seen *out, const struct kt_diff_versions *versions,
		       const kt_diff *diff);

#endif
