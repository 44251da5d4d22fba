/* SPDX-License-Identifier: MIT */
/* Random walks of one machine, read by another. */
#ifndef KTAIL_SCORE_WALKS_H
#define KTAIL_SCORE_WALKS_H

#include <ktail/score.h>

#include "infer/compare/joint.h"
#include "infer/compare/product.h"

/* What is counted over all walks. */
struct kt_walk_tally {
	uint64_t accepted;  /* walks that were read whole */
	uint64_t letters;   /* of all walks */
	uint64_t fitting;   /* letters before a walk's first misfit */
	uint64_t stuck;     /* walks that ended before their length */
	uint64_t positions; /* letters and walks: before each letter, at each end */
	uint64_t exact;     /* of these: it fits so far, and the same letters can come */
};

/*
 * options->walks walks of machine `side` from its start, each with a random stream of its
 * own, read by the other one. A walk goes on after a misfit, so its length does not depend
 * on who reads it.
 */
void kt_walk_tally(struct kt_walk_tally *out, const struct kt_joint *joint, int which,
		   const struct kt_score_options *options);

/* What random walks of one machine, read by another, come to on average: exactly. */

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
		    int which, const struct kt_score_options *options);

#endif
