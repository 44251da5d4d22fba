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
#ifndef KTAIL_ENGINE_DIFFERENCE_H
#define KTAIL_ENGINE_DIFFERENCE_H

#include <ktail/compare.h>
#include <ktail/diff.h>

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

/* --- overlay.c --- */

/*
 * Lays two machines whose states are matched over each other: makes the machine "diff", see
 * kt_diff_machine(). id[0][s] and id[1][s]: the numbers in it of old and new states. The
 * caller owns them and *out; all NULL on failure. O(n log n).
 */
int kt_overlay(struct kt_fsm **out, uint32_t *id[2], const struct kt_joint *joint,
	       const struct kt_match *match);

/*
 * Short sequences of letters that one machine can do somewhere and the other one nowhere:
 * where languages part for good after one difference, these still name it.
 */
struct kt_sequences {
	struct kt_diff_sequence
		*list; /* Owned by this; old ones first, then as in diff.h */
	size_t n;
	size_t capacity;
};

/* What is behind kt_diff, and behind kt_compare, for the engine's own eyes. */
struct kt_diff {
	kt_compare *compare; /* Owned by this */
	struct kt_match match;
	struct kt_sequences sequences;
	struct kt_diff_summary summary;
	struct kt_fsm *machine; /* Owned by this */
	uint32_t *id[2];        /* Owned by this: of each machine's states, the one in it */
};

struct kt_compare {
	struct kt_joint joint;
	struct kt_product product; /* zeroed if the languages are equal */
	struct kt_compare_summary summary;
};

#endif
