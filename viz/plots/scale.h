/* SPDX-License-Identifier: MIT */
/*
 * Computes positions of numbers on the axes of a sweep's plot, and chooses the numbers that
 * get labels.
 */
#ifndef KTAIL_VIZ_SCALE_H
#define KTAIL_VIZ_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_scale {
	bool logarithmic;
	uint64_t first; /* smallest k */
	uint64_t last;  /* largest k */
	double low;     /* value at `from`, or its logarithm on a logarithmic scale */
	double high;    /* value at `to`, or its logarithm on a logarithmic scale */
	double from;    /* position in points of one end of the axis */
	double to;      /* position in points of the opposite end */
	double zero;    /* on a scale of sizes: position of 0, at or below `from` */
};

/*
 * Creates the axis of k, which extends half a k beyond first and last. The axis is linear
 * in k, or for a long range that begins near 0, linear in the logarithm of k + 1.
 */
struct kt_scale kt_scale_of_k(uint64_t first, uint64_t last, double from, double to);

/*
 * Creates the axis of sizes from smallest to largest, both at least 1. The axis is
 * logarithmic, begins at a power of ten, ends slightly above the largest size, and spans at
 * least two powers of ten. With `zero`, it reserves space for 0 below that power of ten.
 */
struct kt_scale kt_scale_of_sizes(uint64_t smallest, uint64_t largest, bool zero,
				  double from, double to);

/* Returns the position of k in points; k may be halfway between whole numbers. */
double kt_scale_k(const struct kt_scale *scale, double k);

/* Returns the position of a size in points. */
double kt_scale_size(const struct kt_scale *scale, uint64_t size);

/*
 * Returns the next number after `k` that gets a label, or the first such number if `k` is
 * negative; UINT64_MAX after the last. Labels are at least `spacing` points apart.
 */
uint64_t kt_scale_next_k(const struct kt_scale *scale, double k, double spacing);

#endif
