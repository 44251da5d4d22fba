/* SPDX-License-Identifier: MIT */
/*
 * How alike the states of two machines are, by the global scores of LTSDiff (Walkinshaw and
 * Bogdanov, "Automated comparison of state-based software models in terms of their language
 * and structure", ACM TOSEM 22(2), 2013). For states a and b
 *
 *     S(a, b) = 1/2 sum over common letters of (1 + 0.6 S(a', b'))
 *               / (letters of a alone + letters of b alone + common ones)
 *
 * where a' and b' are what the letter leads to; likewise for the letters that lead to a and
 * b, where each pair of states that one letter comes from counts. A pair's score is the sum
 * of both, at most 10/7.
 *
 * Scores are whole numbers of 2^-30, each rounded down: the smallest solution of that
 * system, which does not depend on an order, a processor or a compiler.
 */
#ifndef KTAIL_ENGINE_SIMILARITY_H
#define KTAIL_ENGINE_SIMILARITY_H

#include <stdbool.h>

#include "infer/compare/joint.h"

#define KT_SIMILARITY_ONE       ((uint32_t)1 << 30)
#define KT_SIMILARITY_PAIRS_MAX ((size_t)8000000)

/*
 * Only pairs with a letter in common on the way in and one on the way out are kept: no
 * other pair's score has part in theirs, so what is kept is exact. Where that is too many
 * pairs, only those are kept that have two letters in a row in common on either way, else
 * four, else eight (by a sketch, so that some others stay); the others count as unlike.
 */
struct kt_similarity {
	size_t *first; /* Owned by this: the pairs of old state a, first[a]..first[a + 1] */
	uint32_t *other; /* Owned by this: their new states, ascending */
	uint32_t *score; /* Owned by this */
	size_t n;
	unsigned depth; /* letters in common on either way: 1, 2, 4 or 8 */
	bool cut;       /* there would be too many pairs even so: n is 0 */
};

/*
 * arrivals: of the old machine, of the new one. most: pairs that may be kept. On failure
 * *out needs no clearing.
 * Time: by pairs that share a letter out, and some 20 passes over those kept, 48
 * bytes each.
 */
int kt_similarity_init(struct kt_similarity *out, const struct kt_joint *joint,
		       const struct kt_groups arrivals[2], size_t most);

/* Does nothing on a zeroed one. */
void kt_similarity_clear(struct kt_similarity *similarity);

/* The index of a pair, SIZE_MAX if it is not kept. O(log of the row). */
size_t kt_similarity_find(const struct kt_similarity *similarity, uint32_t old,
			  uint32_t new);

#endif
