/* SPDX-License-Identifier: MIT */
/* From folded classes to a machine whose states have their canonical numbers. */
#ifndef KTAIL_ENGINE_CANONICALISE_H
#define KTAIL_ENGINE_CANONICALISE_H

#include <ktail/fsm.h>

#include "infer/engine/determinise.h"
#include "infer/engine/order.h"
#include "infer/engine/text.h"

/* Where a word begins and where it ends. */
struct kt_word_span {
	uint32_t entry; /* class */
	uint32_t exit;  /* class */
};

/*
 * Fills in fsm: words, states with their visits and ends, transitions with their counts.
 * Breadth first from class 0, the start, a state's transitions in order of their letters;
 * then the same from each word's entry, in the given order, that was not reached so far.
 * O(size of the machine + words), but for sorting the letters of each state. The fold can
 * go on afterwards. KT_E_USAGE where there are more than 2^30 states.
 */
int kt_canonicalise(struct kt_fsm *fsm, struct kt_fold *fold, const kt_words *words,
		    const struct kt_word_span *spans, const struct kt_word_order *order);

/*
 * From words to the states of chains, divided and ready to be folded further: the fold of
 * the text's words for the largest k that the levels say, determinised; the levels on the
 * way down to the smallest; and where each word begins and ends: places[i] for the i-th,
 * which the caller gives. lo <= k <= hi, and hi is at most one more than the letters of the
 * longest word. The caller clears fold and levels, also on failure.
 */
int kt_chains_fold(struct kt_fold *fold, struct kt_levels *levels,
		   struct kt_word_span *spans, const struct kt_text *text, uint64_t lo,
		   uint64_t hi);

/*
 * As kt_chains_fold(), for the prefix tree of the words. A class of nodes that have several
 * letters is several classes of the fold, one a letter, which are united at once.
 */
int kt_pta_fold(struct kt_fold *fold, struct kt_levels *levels, struct kt_word_span *spans,
		const struct kt_text *text, uint64_t lo, uint64_t hi);

#endif
