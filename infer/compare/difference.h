/* SPDX-License-Identifier: MIT */
/*
 * Matches the states of two machines with LTSDiff (Walkinshaw and Bogdanov, TOSEM 2013). A
 * pair of states is a landmark if its score is in the upper quarter of all scores and at
 * least 1.5 times the score of any other pair that contains one of the two states.
 * Starting from the landmarks, each round matches the pairs of states that a common letter
 * connects to a pair already matched, the highest scores first.
 *
 * This implementation goes beyond LTSDiff where scores are ambiguous or mislead:
 * - The start states are always matched.
 * - Pairs with equal scores are taken in the order of their least words (product.h).
 * - A second matching takes all pairs in the order of their least words and then continues
 *   by scores. It replaces the first matching if it keeps more transitions, or if it keeps
 *   as many transitions and matches more states.
 *
 * Machines that are equal, or have the same language, are thus matched completely where
 * possible.
 */
#ifndef KTAIL_ENGINE_DIFFERENCE_H
#define KTAIL_ENGINE_DIFFERENCE_H

#include <ktail/compare.h>
#include <ktail/diff.h>

#include "infer/compare/joint.h"
#include "infer/compare/product.h"

#define KT_MATCH_NONE UINT32_MAX

struct kt_match {
	/*
	 * Owned by this. other[0][i]: the new state that is matched with the old state i;
	 * other[1][i]: the old state that is matched with the new state i; or KT_MATCH_NONE
	 */
	uint32_t *other[2];
	uint64_t n_states;  /* matched states */
	uint64_t n_kept;    /* transitions between matched states that both machines have */
	bool scored;        /* false: there were too many pairs to score */
	bool by_words;      /* matched first by common words, then by scores */
};

/*
 * Matches the states of two machines (see similarity.h); `product` is their product. On
 * failure *out needs no clearing.
 */
int kt_match_init(struct kt_match *out, const struct kt_joint *joint,
		  const struct kt_product *product);

/* Does nothing if *match is zeroed. */
void kt_match_clear(struct kt_match *match);

/*
 * Returns the new transition that corresponds to an old one: it has the same letter and
 * leads between the new states that are matched with the old transition's states. SIZE_MAX
 * if there is no such transition.
 */
size_t kt_match_transition(const struct kt_match *match, const struct kt_joint *joint,
			   size_t old);

/* --- overlay.c --- */

/*
 * Overlays two machines with matched states: builds the "diff" of kt_diff_machine().
 * id[0][s] and id[1][s] are the overlay's numbers for the old and the new state s. The
 * caller owns the arrays and *out; all are NULL on failure. O(n log n).
 */
int kt_overlay(struct kt_fsm **out, uint32_t *id[2], const struct kt_joint *joint,
	       const struct kt_match *match);

/*
 * Short sequences of letters that one machine can read from some state and the other
 * machine from no state. Even if an early difference makes all longer words differ, the
 * sequences still show later differences.
 */
struct kt_sequences {
	struct kt_diff_sequence *list; /* Owned by this; sorted as by kt_diff_sequences() */
	size_t n;
	size_t capacity;
};

/* Internals of kt_diff and kt_compare, for the engine only. */
struct kt_diff {
	kt_compare *compare; /* Owned by this */
	struct kt_match match;
	struct kt_sequences sequences;
	struct kt_diff_summary summary;
	struct kt_fsm *machine; /* Owned by this */
	/* Owned by this: for each state of each machine, its state in the overlay */
	uint32_t *id[2];
};

struct kt_compare {
	struct kt_joint joint;
	struct kt_product product; /* zeroed if the languages are equal */
	struct kt_compare_summary summary;
};

#endif
