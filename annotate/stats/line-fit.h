/* SPDX-License-Identifier: MIT */
/*
 * A straight line through points: y = intercept + slope x. By least squares, or by the
 * median of the slopes of pairs of points (Theil 1950, Sen 1968), which up to a share of
 * 29 % of wild points cannot move far.
 */
#ifndef KTAIL_ANNOTATE_LINE_FIT_H
#define KTAIL_ANNOTATE_LINE_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* So many pairs are looked at; of more points, that many are drawn, the same each time. */
#define KT_LINE_PAIRS 500000

struct kt_point {
	double x;
	double y;
};

struct kt_line {
	bool known; /* false: fewer than two points, or all have one x; all else is 0 */
	double slope;
	double intercept;
	/* 1 - (squares of what the line leaves) / (squares of what the mean leaves); 1 if
	 * both are 0. Of least squares 0 to 1; of a median it may be negative. */
	double r2;
};

/* O(n). Two passes, so that large x far from 0 do no harm. */
void kt_line_least_squares(struct kt_line *out, const struct kt_point *points, size_t n);

/*
 * The slope is the median of those of all pairs with different x, the intercept the median
 * of y - slope x; of an even number the mean of the two in the middle. KT_E_MEMORY with a
 * message. O(m log m) for m pairs, KT_LINE_PAIRS at most, and O(n log n).
 */
int kt_line_median(struct kt_line *out, const struct kt_point *points, size_t n);

#endif
