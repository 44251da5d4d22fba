/* SPDX-License-Identifier: MIT */
/* What random walks of one machine, read by another, come to on average: exactly. */
#ifndef KTAIL_ENGINE_EXPECT_H
#define KTAIL_ENGINE_EXPECT_H

#include "infer/engine/pairs.h"

/* The members of kt_walk_tally, as means of one walk. */
struct kt_expectation {
	double accepted;
	double letters;
	double fitting;
	double positions;
	double exact;
};

/*
 * Walks of machine b where `backwards`, else of a. The probability of being at each pair of
 * states is carried from letter to letter. All NaN if not all pairs are known, or where
 * that were more than 10^9 steps. O(options->length * (followers + transitions)).
 */
int kt_expect_walks(struct kt_expectation *out, const struct kt_pairs *pairs,
		    const struct kt_walk_side *a, const struct kt_walk_side *b,
		    bool backwards, const struct kt_score_options *options);

#endif
