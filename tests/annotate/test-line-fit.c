/* SPDX-License-Identifier: MIT */
/* Compares fitted lines with sums of integers, and with known lines. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/stats/line-fit.h"
#include "tests/suite.h"

#define POINTS_MAX 64

__extension__ typedef __int128 whole;

/* Returns a pseudo-random number; the sequence is the same on each run. */
static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static bool is_near(double a, double b, double scale)
{
	return fabs(a - b) <= 1e-9 * (scale + 1);
}

static void test_none(void)
{
	const struct kt_point points[3] = {{5, 1}, {5, 2}, {5, 9}};
	struct kt_line line;

	for (size_t n = 0; n <= 3; n++) {
		kt_line_least_squares(&line, points, n);
		CU_ASSERT_FALSE(line.known);
		CU_ASSERT_TRUE(line.slope == 0 && line.intercept == 0 && line.r2 == 0);
		CU_ASSERT_EQUAL(kt_line_median(&line, points, n), KT_OK);
		CU_ASSERT_FALSE(line.known);
	}
}

/* The means are 2 and 4, xx is 10, xy is 6, and the residual is 2.4 of 6. */
static void test_by_hand(void)
{
	const struct kt_point points[5] = {{0, 2}, {1, 4}, {2, 5}, {3, 4}, {4, 5}};
	struct kt_line line;

	kt_line_least_squares(&line, points, 5);
	CU_ASSERT_TRUE(line.known);
	CU_ASSERT_TRUE(is_near(line.slope, 0.6, 1));
	CU_ASSERT_TRUE(is_near(line.intercept, 2.8, 1));
	CU_ASSERT_TRUE(is_near(line.r2, 0.6, 1));
	/*
	 * The slopes in order are -1 0 0 1/3 2/3 3/4 1 1 3/2 2; the residuals of slope
	 * 17/24 are 15/8 2 13/6 ...
	 */
	CU_ASSERT_EQUAL(kt_line_median(&line, points, 5), KT_OK);
	CU_ASSERT_TRUE(is_near(line.slope, 17.0 / 24, 1));
	CU_ASSERT_TRUE(is_near(line.intercept, 13.0 / 6, 1));
}

/* Checks the line through points with integer coordinates, whose sums are exact. */
static void expect_exact(const struct kt_point *points, size_t n)
{
	whole sum_x = 0;
	whole sum_y = 0;
	whole sum_xx = 0;
	whole sum_xy = 0;
	whole sum_yy = 0;
	whole xx;
	whole xy;
	whole yy;
	struct kt_line line;
	double slope;

	for (size_t i = 0; i < n; i++) {
		int64_t x = (int64_t)points[i].x;
		int64_t y = (int64_t)points[i].y;

		sum_x += x;
		sum_y += y;
		sum_xx += (whole)x * x;
		sum_xy += (whole)x * y;
		sum_yy += (whole)y * y;
	}
	xx = (whole)n * sum_xx - sum_x * sum_x;
	xy = (whole)n * sum_xy - sum_x * sum_y;
	yy = (whole)n * sum_yy - sum_y * sum_y;
	kt_line_least_squares(&line, points, n);
	CU_ASSERT_EQUAL(line.known, xx != 0);
	if (xx == 0) {
		return;
	}
	slope = (double)xy / (double)xx;
	CU_ASSERT_TRUE(is_near(line.slope, slope, fabs(slope)));
	CU_ASSERT_TRUE(is_near(line.intercept,
			       ((double)sum_y - slope * (double)sum_x) / (double)n,
			       fabs(slope * (double)sum_x)));
	if (yy != 0) {
		CU_ASSERT_TRUE(is_near(
			line.r2, (double)xy / (double)xx * (double)xy / (double)yy, 1));
		CU_ASSERT_TRUE(line.r2 > -1e-9 && line.r2 < 1 + 1e-9);
	}
}

static void test_exact(void)
{
	uint32_t state = 7;

	for (int round = 0; round < 3000; round++) {
		struct kt_point points[POINTS_MAX];
		size_t n = 1 + next(&state) % POINTS_MAX;
		uint32_t width = 1 + next(&state) % 1000;
		double away = next(&state) % 2 ? 1e9 : 0;

		for (size_t i = 0; i < n; i++) {
			points[i].x = away + next(&state) % width;
			points[i].y = away + next(&state) % 5000;
		}
		expect_exact(points, n);
	}
}

/* Finds the median by counting, not by sorting. */
static double slow_median(const double *values, size_t n)
{
	double low = NAN;
	double high = NAN;

	for (size_t i = 0; i < n; i++) {
		size_t below = 0;
		size_t same = 0;

		for (size_t j = 0; j < n; j++) {
			below += values[j] < values[i];
			same += values[j] == values[i];
		}
		low = below <= (n - 1) / 2 && (n - 1) / 2 < below + same ? values[i] : low;
		high = below <= n / 2 && n / 2 < below + same ? values[i] : high;
	}
	return n % 2 ? high : (low + high) / 2;
}

static void expect_median(const struct kt_point *points, size_t n)
{
	static double slopes[POINTS_MAX * POINTS_MAX];
	double rests[POINTS_MAX];
	size_t found = 0;
	struct kt_line line;
	double slope;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (points[i].x != points[j].x) {
				slopes[found++] = (points[i].y - points[j].y) /
						  (points[i].x - points[j].x);
			}
		}
	}
	CU_ASSERT_EQUAL(kt_line_median(&line, points, n), KT_OK);
	CU_ASSERT_EQUAL(line.known, found > 0);
	if (found == 0) {
		return;
	}
	slope = slow_median(slopes, found);
	CU_ASSERT_TRUE(line.slope == slope);
	for (size_t i = 0; i < n; i++) {
		rests[i] = points[i].y - slope * points[i].x;
	}
	CU_ASSERT_TRUE(is_near(line.intercept, slow_median(rests, n), 100));
}

static void test_median(void)
{
	uint32_t state = 3;

	for (int round = 0; round < 400; round++) {
		struct kt_point points[24];
		size_t n = 1 + next(&state) % 24;

		for (size_t i = 0; i < n; i++) {
			points[i].x = next(&state) % 9;
			points[i].y = next(&state) % 50;
		}
		expect_median(points, n);
	}
}

/* A fifth of the points are outliers: the median keeps the line, least squares lose it. */
static void expect_robust(size_t n)
{
	struct kt_point *points = calloc(n, sizeof(*points));
	struct kt_line median;
	struct kt_line again;
	struct kt_line squares;
	uint32_t state = 11;

	CU_ASSERT_PTR_NOT_NULL_FATAL(points);
	for (size_t i = 0; i < n; i++) {
		points[i].x = next(&state) % 5000;
		points[i].y = 1000 + 3 * points[i].x;
		points[i].y += i % 5 == 0 ? 1e6 : 0;
	}
	CU_ASSERT_EQUAL(kt_line_median(&median, points, n), KT_OK);
	CU_ASSERT_EQUAL(kt_line_median(&again, points, n), KT_OK);
	kt_line_least_squares(&squares, points, n);
	CU_ASSERT_TRUE(is_near(median.slope, 3, 3));
	CU_ASSERT_TRUE(is_near(median.intercept, 1000, 1000));
	CU_ASSERT_TRUE(median.slope == again.slope && median.intercept == again.intercept);
	CU_ASSERT_TRUE(fabs(squares.intercept - 1000) > 1000);
	CU_ASSERT_TRUE(median.r2 < squares.r2);
	free(points);
}

/*
 * With up to 1000 points, the median is taken over the slopes of all pairs; with more
 * points, over the slopes of sampled pairs.
 */
static void test_robust(void)
{
	expect_robust(200);
	expect_robust(1000);
	expect_robust(1001);
	expect_robust(20000);
}

/* All x but one are equal, so hardly any sampled pair has a slope. */
static void test_one_apart(void)
{
	size_t n = 1000000;
	struct kt_point *points = calloc(n, sizeof(*points));
	struct kt_line line;

	CU_ASSERT_PTR_NOT_NULL_FATAL(points);
	for (size_t i = 0; i < n; i++) {
		points[i] = (struct kt_point){10, 7};
	}
	points[n / 2] = (struct kt_point){12, 11};
	CU_ASSERT_EQUAL(kt_line_median(&line, points, n), KT_OK);
	CU_ASSERT_TRUE(line.known);
	CU_ASSERT_TRUE(is_near(line.slope, 2, 100));
	CU_ASSERT_TRUE(is_near(line.slope * 10 + line.intercept, 7, 100));
	free(points);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"no line", test_none},
		{"by hand", test_by_hand},
		{"least squares of whole numbers", test_exact},
		{"medians of all pairs", test_median},
		{"wild points", test_robust},
		{"one x apart", test_one_apart},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("line fit", tests);
}
