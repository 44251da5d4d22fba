/* SPDX-License-Identifier: MIT */
/*
 * Fits a straight line to points: y = intercept + slope x. The method is least squares, or the
 * median of the slopes between pairs of points (Theil 1950, Sen 1968), which tolerates up to
 * 29 % of outliers.
 */
#ifndef KTAIL_ANNOTATE_LINE_FIT_H
#define KTAIL_ANNOTATE_LINE_FIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Maximum number of pairs of points. If there are more, a random sample is drawn, which is
 * the same in each run of the program.
 */
#define KT_LINE_PAIRS 500000

struct kt_point {
	double x;
	double y;
};

struct kt_line {
	bool known; /* false: all points have the same x, or n < 2; other members are 0 */
	double slope;
	double intercept;
	/*
	 * 1 - (sum of squared residuals) / (sum of squared distances from the mean y); 1 if all
	 * y are equal. Between 0 and 1 for least squares; may be negative for the median.
	 */
	double r2;
};

/* Least squares. A second pass subtracts the mean, for accuracy if x is far from 0. O(n). */
void kt_line_least_squares(struct kt_line *out, const struct kt_point *points, size_t n);

/*
 * Median of slopes: the slope is the median over pairs with different x, and the intercept is
 * the median of y - slope x. A median of an even number of values is the mean of the middle
 * two. KT_E_MEMORY with a message. O(m log m + n log n) for m pairs, at most KT_LINE_PAIRS.
 */
int kt_line_median(struct kt_line *out, const struct kt_point *points, size_t n);

#endif
