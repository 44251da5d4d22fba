/* SPDX-License-Identifier: MIT */
#include "annotate/stats/line-fit.h"

#include <stdint.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/order.h"

static struct kt_point mean_of(const struct kt_point *points, size_t n)
{
	struct kt_point mean = {0, 0};

	for (size_t i = 0; i < n; i++) {
		mean.x += (points[i].x - mean.x) / (double)(i + 1);
		mean.y += (points[i].y - mean.y) / (double)(i + 1);
	}
	return mean;
}

static double square(double value)
{
	return value * value;
}

/* Returns the residual of a point from the line through `mean` with this slope. */
static double rest_of(const struct kt_point *point, double slope,
		      const struct kt_point *mean)
{
	return point->y - mean->y - slope * (point->x - mean->x);
}

/*
 * Returns r2 of the line that has this slope, and the value mean->y + `above` at mean->x.
 */
static double explained(const struct kt_point *points, size_t n, double slope, double above,
			const struct kt_point *mean)
{
	double left = 0;
	double all = 0;

	for (size_t i = 0; i < n; i++) {
		left += square(rest_of(&points[i], slope, mean) - above);
		all += square(points[i].y - mean->y);
	}
	return all > 0 ? 1 - left / all : 1;
}

void kt_line_least_squares(struct kt_line *out, const struct kt_point *points, size_t n)
{
	struct kt_point mean = mean_of(points, n);
	double xx = 0;
	double xy = 0;

	*out = (struct kt_line){.known = false};
	for (size_t i = 0; i < n; i++) {
		xx += square(points[i].x - mean.x);
		xy += (points[i].x - mean.x) * (points[i].y - mean.y);
	}
	for (size_t i = 1; i < n && !out->known; i++) {
		out->known = points[i].x != points[0].x;
	}
	if (!out->known) {
		return;
	}
	out->slope = xy / xx;
	out->intercept = mean.y - out->slope * mean.x;
	out->r2 = explained(points, n, out->slope, 0, &mean);
}

/* Returns the median of values[0..n), and sorts them. */
static double median_of(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), kt_compare_double);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Returns a pseudo-random number: splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

int kt_line_median(struct kt_line *out, const struct kt_point *points, size_t n)
{
	bool few = n < 2 || (n - 1) / 2 < KT_LINE_PAIRS / n;
	size_t pairs = few ? n * (n - 1) / 2 : KT_LINE_PAIRS;
	struct kt_point mean = mean_of(points, n);
	uint64_t state = n;
	double *values;
	double above;
	size_t found = 0;

	/*
	 * First fit by least squares, which sets out->known. The slope of least squares
	 * remains the result if all drawn pairs have equal x.
	 */
	kt_line_least_squares(out, points, n);
	if (!out->known) {
		return KT_OK;
	}
	values = calloc(pairs > n ? pairs : n, sizeof(double));
	if (!values) {
		return kt_error(KT_E_MEMORY, "fit a line to %zu points: out of memory", n);
	}
	for (size_t i = 0, a = 0, b = 0; i < pairs; i++) {
		/* Take all pairs (0, 1), (0, 2), ..., or draw random pairs. */
		if (!few) {
			a = draw(&state) % n;
			b = draw(&state) % n;
		} else if (++b == n) {
			a++;
			b = a + 1;
		}
		if (points[a].x != points[b].x) {
			values[found++] =
				(points[b].y - points[a].y) / (points[b].x - points[a].x);
		}
	}
	if (found > 0) {
		out->slope = median_of(values, found);
	}
	for (size_t i = 0; i < n; i++) {
		values[i] = rest_of(&points[i], out->slope, &mean);
	}
	above = median_of(values, n);
	out->intercept = above + mean.y - out->slope * mean.x;
	out->r2 = explained(points, n, out->slope, above, &mean);
	free(values);
	return KT_OK;
}
