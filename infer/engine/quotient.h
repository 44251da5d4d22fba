/* SPDX-License-Identifier: MIT */
/*
 * The canonical machine divided by equality of k-tails: for every position of the text (see
 * text.h) the class it belongs to. Transitions go from a position's class to the next
 * one's.
 *
 * All positions of a class have the same letter, or are all ends. The start, which may have
 * several letters, is therefore a few classes that determinising makes one:
 * 0 for it without a letter, then one for every letter, in order of ranks.
 */
#ifndef KTAIL_ENGINE_QUOTIENT_H
#define KTAIL_ENGINE_QUOTIENT_H

#include "infer/engine/text.h"

#define KT_NO_CLASS UINT32_MAX

struct kt_quotient {
	uint32_t *class_of;  /* Owned by this: by position */
	uint32_t n_classes;  /* some may have no position */
	uint32_t start_also; /* a chain's class that the start is equivalent to, or
				KT_NO_CLASS */
	bool all_equal;      /* k = 0: everything is one state */
};

/* O(text), whatever k, but for sorting; 8 bytes a symbol at most, text aside. */
int kt_quotient_divide(struct kt_quotient *quotient, const struct kt_text *text,
		       uint64_t k);

void kt_quotient_clear(struct kt_quotient *quotient);

#endif
