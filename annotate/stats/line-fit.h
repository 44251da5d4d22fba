/* SPDX-License-Identifier: MIT */
/*
 * Fits a straight line through points: y = intercept + slope x. By least squares, or by the
 * median of slopes between pairs of points (Theil 1950, Sen 1968), which tolerates up to 29
 * % of outliers.
 */
#ifndef KTAIL_ANNOTATE_LINE_FIT_H
#define KTAIL_ANNOTATE_LINE_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* Limit of pairs. With more pairs, this many are drawn, the same in each run. */
#define KT_LINE_PAIRS 500000

struct kt_point {
	double x;
	double y;
};

struct kt_line {
	bool known; /* false: fewer than two points, or all with one x; the rest is 0 */
	double slope;
	double intercept;
	/*
	 * 1 - (sum of squared residuals) / (sum of squares around the mean); 1 if both are
	 * 0. Between 0 and 1 for least squares; may be negative for the median.
	 */
	double r2;
};

/* O(n). Two passes, for accuracy with x values far from 0. */
void kt_line_least_squares(struct kt_line *out, const struct kt_point *points, size_t n);

/*
 * The slope is the median over all pairs with different x, the intercept the median of y -
 * slope x; a median of an even number of values is the mean of the middle two. KT_E_MEMORY
 * with a message. O(m log m) for m pairs, at most KT_LINE_PAIRS, and O(n log n).
 */
int kt_line_median(struct kt_line *out, const struct kt_point *points, size_t n);

#endif
