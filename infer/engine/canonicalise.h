/* SPDX-License-Identifier: MIT */
/*
 * Turns the classes of a fold (determinise.h) into a machine with canonically numbered
 * states.
 */
#ifndef KTAIL_ENGINE_CANONICALISE_H
#define KTAIL_ENGINE_CANONICALISE_H

#include <ktail/fsm.h>

#include "infer/engine/determinise.h"
#include "infer/engine/order.h"
#include "infer/engine/text.h"

/* The classes in which a word begins and ends. */
struct kt_word_span {
	uint32_t entry;
	uint32_t exit;
};

/*
 * Fills in fsm: words, states with visits and ends, transitions with counts.
 *
 * States are numbered breadth first from class 0, the start, in the order of letters. The
 * numbering then continues likewise from the entry of each word, in the order that `order`
 * gives, but skips entries that already have a number. The fold stays usable. O(size of the
 * machine + words), plus sorting the letters of each state. KT_E_USAGE if there are more
 * than 2^30 states.
 */
int kt_canonicalise(struct kt_fsm *fsm, struct kt_fold *fold, const kt_words *words,
		    const struct kt_word_span *spans, const struct kt_word_order *order);

/*
 * Builds the chains of the text's words, divides their states by k-tails for k = hi, and
 * determinises the result into *fold. Writes to *levels the merges for smaller k, down to
 * lo, and to spans[i] the classes in which the i-th word begins and ends. The caller
 * provides spans[] with one item per word.
 *
 * Requires lo <= hi, with hi at most one more than the letters of the longest word. The
 * caller clears *fold and *levels, also on failure.
 */
int kt_chains_fold(struct kt_fold *fold, struct kt_levels *levels,
		   struct kt_word_span *spans, const struct kt_text *text, uint64_t lo,
		   uint64_t hi);

/*
 * Like kt_chains_fold(), but for the prefix tree of the words. If the nodes of a class have
 * several letters, the class becomes several classes of the fold, one per letter, which are
 * then merged.
 */
int kt_pta_fold(struct kt_fold *fold, struct kt_levels *levels, struct kt_word_span *spans,
		const struct kt_text *text, uint64_t lo, uint64_t hi);

#endif
