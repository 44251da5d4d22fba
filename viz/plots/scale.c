/* SPDX-License-Identifier: MIT */
#include "viz/plots/scale.h"

#include <math.h>

#define LONG_RANGE 100 /* a range with more k than this is too long for equal steps */
#define NEAR_ZERO  20  /* a range begins near 0 if last / first is at least this */
#define ZERO_STEP  22  /* distance in points from 0 to the smallest power of ten */

struct kt_scale kt_scale_of_k(uint64_t first, uint64_t last, double from, double to)
{
	struct kt_scale scale = {.first = first, .last = last, .from = from, .to = to};

	scale.logarithmic =
		last - first > LONG_RANGE && last / NEAR_ZERO >= (first ? first : 1);
	scale.low = (double)first - 0.5;
	scale.high = (double)last + 0.5;
	if (scale.logarithmic) {
		scale.low = log(scale.low + 1);
		scale.high = log(scale.high + 1);
	}
	return scale;
}

double kt_scale_k(const struct kt_scale *scale, double k)
{
	double position = scale->logarithmic ? log(k + 1) : k;

	return scale->from + (position - scale->low) / (scale->high - scale->low) *
				     (scale->to - scale->from);
}

struct kt_scale kt_scale_of_sizes(uint64_t smallest, uint64_t largest, bool zero,
				  double from, double to)
{
	struct kt_scale scale = {.logarithmic = true, .to = to, .zero = from};

	scale.from = zero ? from + (to > from ? ZERO_STEP : -ZERO_STEP) : from;
	scale.low = floor(log10((double)smallest));
	scale.high = fmax(log10((double)largest) + 0.08, scale.low + 2);
	return scale;
}

double kt_scale_size(const struct kt_scale *scale, uint64_t size)
{
	return size == 0 ? scale->zero
			 : scale->from + (log10((double)size) - scale->low) /
						 (scale->high - scale->low) *
						 (scale->to - scale->from);
}

/* Returns the first number of 1, 2, 5, 10, 20, 50, ... that is greater than n >= 1. */
static uint64_t next_round(uint64_t n)
{
	uint64_t power = 1;

	while (power <= n / 10) {
		power *= 10;
	}
	return n < 2 * power ? 2 * power : n < 5 * power ? 5 * power : 10 * power;
}

uint64_t kt_scale_next_k(const struct kt_scale *scale, double k, double spacing)
{
	uint64_t next;

	if (scale->logarithmic) {
		/*
		 * Begin with the first k; then use the next round number that is far enough
		 * away.
		 */
		next = k < 0 ? scale->first : k < 1 ? 1 : next_round((uint64_t)k);
		while (k >= 0 && next <= scale->last &&
		       kt_scale_k(scale, (double)next) - kt_scale_k(scale, k) < spacing) {
			next = next_round(next);
		}
	} else {
		/*
		 * Use multiples of the smallest round step that takes at least `spacing`
		 * points.
		 */
		uint64_t step = 1;

		while ((double)step * (scale->to - scale->from) <
		       spacing * (scale->high - scale->low)) {
			step = next_round(step);
		}
		next = k < 0 ? scale->first : (uint64_t)k + 1;
		next = (next + step - 1) / step * step;
	}
	return next <= scale->last ? next : UINT64_MAX;
}
