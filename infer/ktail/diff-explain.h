/* SPDX-License-Identifier: MIT */
/*
 * Why two machines differ: a few letters whose runs, taken as one, make them equal. Polling
 * goes by time, and so two recordings of one program differ in how often it looks.
 */
#ifndef KTAIL_DIFF_EXPLAIN_H
#define KTAIL_DIFF_EXPLAIN_H

#include "infer/ktail/diff-sides.h"

#define KT_DIFF_EXPLAIN_MAX 3

struct kt_diff_reason {
	const char *letters[KT_DIFF_EXPLAIN_MAX]; /* Weak: names of the machines' */
	size_t n;                                 /* 0: none was found */
};

/*
 * Tries the letters of diverging transitions, one, two and three at a time, the eight most
 * frequent ones at most, fewer for large machines (20,000,000 letters or transitions are
 * looked at, counted over all tries).
 */
int kt_diff_explain(struct kt_diff_reason *out, const struct kt_diff_sides *sides,
		    const kt_compare *compare);

#endif
