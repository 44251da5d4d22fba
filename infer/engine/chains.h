/* SPDX-License-Identifier: MIT */
/* From words to the states of chains: laid out, divided, ready to be folded further. */
#ifndef KTAIL_ENGINE_CHAINS_H
#define KTAIL_ENGINE_CHAINS_H

#include "infer/engine/canonicalise.h"
#include "infer/engine/determinise.h"
#include "infer/engine/levels.h"
#include "infer/engine/text.h"

/*
 * The fold of the text's words for the largest k that the levels say, determinised; the
 * levels on the way down to the smallest; and where each word begins and ends: places[i]
 * for the i-th, which the caller gives. The range is as kt_quotient_divide() wants it. The
 * caller clears fold and levels, also on failure.
 */
int kt_chains_fold(struct kt_fold *fold, struct kt_levels *levels,
		   struct kt_word_place *places, const struct kt_text *text, uint64_t lo,
		   uint64_t hi);

#endif
