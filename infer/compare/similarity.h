/* SPDX-License-Identifier: MIT */
/*
 * Similarity of the states of two machines, by the global scores of LTSDiff (Walkinshaw and
 * Bogdanov, "Automated comparison of state-based software models in terms of their language
 * and structure", ACM TOSEM 22(2), 2013). For states a and b
 *
 *     S(a, b) = 1/2 sum over common letters of (1 + 0.6 S(a', b'))
 *               / (letters of a alone + letters of b alone + common ones)
 *
 * where the letter leads from a to a' and from b to b'. The score for incoming letters has
 * the same form, but counts each pair of source states with the same letter. The score of
 * a pair is the sum of the scores for outgoing and incoming letters, at most 10/7.
 *
 * Scores are integers in units of 2^-30, each rounded down. They are the smallest solution
 * of the equations, so they do not depend on the order of evaluation, the processor or the
 * compiler.
 */
#ifndef KTAIL_ENGINE_SIMILARITY_H
#define KTAIL_ENGINE_SIMILARITY_H

#include <stdbool.h>

#include "infer/compare/joint.h"

#define KT_SIMILARITY_ONE       ((uint32_t)1 << 30)
#define KT_SIMILARITY_PAIRS_MAX ((size_t)8000000)

/*
 * Only pairs with a common incoming and a common outgoing letter are kept. Other pairs do
 * not affect the scores of the kept ones, so the scores are exact.
 *
 * If too many pairs would be kept, two common letters in a row are required in each
 * direction, then four, and finally eight. A sketch then finds the pairs, and may also keep
 * pairs with fewer common letters. Pairs that are not kept count as dissimilar.
 */
struct kt_similarity {
	size_t *first;   /* Owned by this: old state a has pairs first[a] to first[a + 1] -
			  * 1 */
	uint32_t *other; /* Owned by this: the new state of each pair, ascending per old
			  * state */
	uint32_t *score; /* Owned by this */
	size_t n;
	unsigned depth; /* common letters required in each direction: 1, 2, 4 or 8 */
	bool cut;       /* even for the largest depth there are too many pairs; n is then
			 * 0 */
};

/*
 * `arrivals` has the incoming transitions of the old machine, then of the new one
 * (kt_arrivals_init()); `most` is the limit of kept pairs. On failure *out needs no
 * clearing.
 *
 * Time grows with the number of pairs that have a common outgoing letter, plus about 20
 * passes over the kept pairs, which take 48 bytes each.
 */
int kt_similarity_init(struct kt_similarity *out, const struct kt_joint *joint,
		       const struct kt_groups arrivals[2], size_t most);

/* Does nothing if *similarity is zeroed. */
void kt_similarity_clear(struct kt_similarity *similarity);

/*
 * Returns the index of a pair, or SIZE_MAX if it is not kept.
 * O(log pairs of the old state).
 */
size_t kt_similarity_find(const struct kt_similarity *similarity, uint32_t old,
			  uint32_t new);

#endif
