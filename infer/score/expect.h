/* SPDX-License-Identifier: MIT */
/* What random walks of one machine, read by another, come to on average: exactly. */
#ifndef KTAIL_ENGINE_EXPECT_H
#define KTAIL_ENGINE_EXPECT_H

#include <ktail/score.h>

#include "infer/compare/link.h"

/* The members of kt_walk_tally, as means of one walk. */
struct kt_expectation {
	double accepted;
	double letters;
	double fitting;
	double positions;
	double exact;
};

/*
 * Walks of machine `side`. The probability of being at each pair of states is carried from
 * letter to letter. All NaN if the product is not complete, or where that were more than
 * 10^9 steps. O(options->length * (pairs + links + transitions)).
 */
int kt_expect_walks(struct kt_expectation *out, const struct kt_joint *joint,
		    const struct kt_product *product, const struct kt_links *links,
		    int side, const struct kt_score_options *options);

#endif
