/* SPDX-License-Identifier: MIT */
/* Where numbers stand on the axes of a plot of a sweep, and which of them are written
 * there. */
#ifndef KTAIL_VIZ_SCALE_H
#define KTAIL_VIZ_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_scale {
	bool logarithmic;
	uint64_t first; /* of k, the smallest and the largest */
	uint64_t last;
	double low;  /* at `from`; of a logarithmic scale, its logarithm */
	double high; /* at `to` */
	double from; /* in points */
	double to;
	double zero; /* where 0 stands; on the scale of sizes, a step of its own below 1 */
};

/*
 * The axis of k from first to last, half a k more on both sides. Equal steps; if the range
 * is long and begins near 0, equal steps of the logarithm of k + 1.
 */
struct kt_scale kt_scale_of_k(uint64_t first, uint64_t last, double from, double to);

/*
 * The axis of sizes from the smallest to the largest, both at least 1: logarithmic, from a
 * power of ten to a little above the largest, two powers at least. With `zero`, room for 0
 * below that.
 */
struct kt_scale kt_scale_of_sizes(uint64_t smallest, uint64_t largest, bool zero,
				  double from, double to);

/* Where a k, or half of one more or less, stands. */
double kt_scale_k(const struct kt_scale *scale, double k);

/* Where a size stands. */
double kt_scale_size(const struct kt_scale *scale, uint64_t size);

/*
 * The k after `k` (the first if that is negative) that is written on the axis, if none
 * may be nearer than `room` points to another; UINT64_MAX after the last.
 */
uint64_t kt_scale_next_k(const struct kt_scale *scale, double k, double spacing);

#endif
