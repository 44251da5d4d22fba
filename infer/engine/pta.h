/* SPDX-License-Identifier: MIT */
/* From words to the states of their prefix tree: divided, ready to be folded further. */
#ifndef KTAIL_ENGINE_PTA_H
#define KTAIL_ENGINE_PTA_H

#include "infer/engine/canonicalise.h"
#include "infer/engine/determinise.h"
#include "infer/engine/levels.h"
#include "infer/engine/text.h"

/*
 * As kt_chains_fold(), for the prefix tree of the words. A class of nodes that have several
 * letters is several classes of the fold, one a letter, which are united at once.
 */
int kt_pta_fold(struct kt_fold *fold, struct kt_levels *levels,
		struct kt_word_place *places, const struct kt_text *text, uint64_t lo,
		uint64_t hi);

#endif
