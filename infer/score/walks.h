/* SPDX-License-Identifier: MIT */
/* Random walks of one machine, read by another. */
#ifndef KTAIL_SCORE_WALKS_H
#define KTAIL_SCORE_WALKS_H

#include <ktail/score.h>

#include "infer/compare/joint.h"
#include "infer/compare/product.h"

/* Counts over all walks. */
struct kt_walk_tally {
	uint64_t accepted;  /* walks that were read completely */
	uint64_t letters;   /* letters of all walks */
	uint64_t fitting;   /* letters before a walk's first misfit */
	uint64_t stuck;     /* walks that ended before their full length */
	uint64_t positions; /* positions of all walks: before each letter and at the end of
			     * a walk */
	uint64_t exact; /* positions where the walk still fits and both machines have the
			 * same next letters */
};

/*
 * Takes options->walks walks of machine `which` from its start, each with a random
 * generator of its own, and reads them with the other machine. A walk continues after a
 * misfit, so the length of the walk does not depend on the other machine.
 */
void kt_walk_tally(struct kt_walk_tally *out, const struct kt_joint *joint, int which,
		   const struct kt_score_options *options);

/* Exact expected values of members of kt_walk_tally, per walk. */
struct kt_expectation {
	double accepted;
	double letters;
	double fitting;
	double positions;
	double exact;
};

/*
 * Computes the expected values for walks of machine `which`, by propagating the probability
 * of each pair of states letter by letter. All are NaN if not all pairs of states were
 * explored or the computation would take more than 10^9 steps. O(options->length * (pairs +
 * links + states + transitions)).
 */
int kt_expect_walks(struct kt_expectation *out, const struct kt_joint *joint,
		    const struct kt_product *product, const struct kt_links *links,
		    int which, const struct kt_score_options *options);

#endif
