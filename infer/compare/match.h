/* SPDX-License-Identifier: MIT */
/*
 * Which states of two machines are the same ones: LTSDiff (Walkinshaw and Bogdanov, TOSEM
 * 2013). Pairs that are alike, and more so than either is with any other state, are
 * landmarks; from there neighbours by equal letters are matched, the most alike first,
 * round by round.
 *
 * Ours, where scores leave it open or mislead: the start states are a pair; among pairs of
 * equal scores the one that has the lesser common word goes first; and a second matching,
 * which takes all pairs in order of their common words before it goes on by scores, is
 * taken instead if more transitions are kept by it. Machines that are the same, or have the
 * same language, so match wholly where that can be.
 */
#ifndef KTAIL_ENGINE_MATCH_H
#define KTAIL_ENGINE_MATCH_H

#include "infer/compare/joint.h"
#include "infer/compare/product.h"

#define KT_MATCH_NONE UINT32_MAX

struct kt_match {
	uint32_t *
		other[2]; /* Owned by this: of old states the new ones, and back, or NONE */
	uint64_t n_states; /* that have another */
	uint64_t n_kept;   /* transitions between matched states that both machines have */
	bool scored;       /* false: there were too many pairs to score */
	bool by_words;     /* common words went before scores */
};

/* product: of the same machines. On failure *out needs no clearing. See similarity.h. */
int kt_match_init(struct kt_match *out, const struct kt_joint *joint,
		  const struct kt_product *product);

/* Does nothing on a zeroed one. */
void kt_match_clear(struct kt_match *match);

/*
 * The new transition that an old one is, if its states are matched and the new machine has
 * it between them; SIZE_MAX if not.
 */
size_t kt_match_transition(const struct kt_match *match, const struct kt_joint *joint,
			   size_t old);

#endif
