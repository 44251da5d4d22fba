/* SPDX-License-Identifier: MIT */
/*
 * The canonical machine of chains divided by equality of k-tails: for every position of the
 * text (see text.h) the class it belongs to for the largest k of a range, and which classes
 * become one as k gets smaller. Transitions go from a position's class to the next one's.
 *
 * All positions of a class have the same letter, or are all ends. The start, which may have
 * several letters, is therefore a few classes that determinising makes one:
 * 0 for it without a letter, then one for every letter, in order of ranks. Every other
 * class has a position.
 */
#ifndef KTAIL_ENGINE_QUOTIENT_H
#define KTAIL_ENGINE_QUOTIENT_H

#include "infer/engine/levels.h"
#include "infer/engine/text.h"

struct kt_quotient {
	uint32_t *class_of; /* Owned by this: by position */
	uint32_t n_classes;
	struct kt_levels levels; /* for k = 0 nothing: all is one */
};

/*
 * Divides for lo <= k <= hi, hi at most one more than the letters of the longest word (for
 * a larger k the classes are the same). O(text), whatever the range, but for sorting; 8
 * bytes a symbol at most, text aside, and 8 a class of the largest k.
 */
int kt_quotient_divide(struct kt_quotient *quotient, const struct kt_text *text,
		       uint64_t lo, uint64_t hi);

void kt_quotient_clear(struct kt_quotient *quotient);

#endif
