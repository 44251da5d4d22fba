/* SPDX-License-Identifier: MIT */
#include "infer/changes/rank-test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/order.h"
#include "base/try.h"

/* 95 % of a normal distribution lie within this many standard deviations of the mean. */
#define MANY_TIMES 1.959963984540054
/* Distances that differ by rounding alone count as equal. */
#define SAME (1 + 1e-9)

static double median_of(const double *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/*
 * Writes twice the rank of each value of both sides to ranks[], in ascending order of
 * values, and returns twice the sum of the ranks of old[]. The mean rank of equal values
 * may have the fraction 1/2; the factor 2 makes all results whole numbers.
 */
static size_t rank(size_t *ranks, const double *old, size_t n, const double *new, size_t m)
{
	size_t sum = 0;
	size_t i = 0;
	size_t k = 0;

	while (i < n || k < m) {
		const double value =
			k == m || (i < n && old[i] <= new[k]) ? old[i] : new[k];
		const size_t from = i + k;
		size_t of_old = 0;

		for (; i < n && old[i] <= value; i++) {
			of_old++;
		}
		for (; k < m && new[k] <= value; k++) {
		}
		/*
		 * These equal values share the ranks from + 1 to i + k. Their mean is
		 * (from + 1 + i + k) / 2.
		 */
		for (size_t r = from; r < i + k; r++) {
			ranks[r] = from + 1 + i + k;
		}
		sum += of_old * (from + 1 + i + k);
	}
	return sum;
}

/*
 * For each sum from 0 to `sums`, counts the ways in which n of the ranks add up to this
 * sum. It does so by admitting one rank after another. The caller frees *out, which has
 * sums + 1 or more items.
 */
static int count_sums(double **out, const size_t *ranks, size_t n_ranks, size_t n,
		      size_t sums)
{
	const size_t row = sums + 1;
	double *ways = calloc((n + 1) * row, sizeof(*ways));

	if (!ways) {
		return kt_no_memory("compare figures");
	}
	ways[0] = 1;
	for (size_t r = 0; r < n_ranks; r++) {
		for (size_t chosen = r + 1 < n ? r + 1 : n; chosen > 0; chosen--) {
			const double *before = ways + (chosen - 1) * row;
			double *after = ways + chosen * row;

			for (size_t s = ranks[r]; s <= sums; s++) {
				after[s] += before[s - ranks[r]];
			}
		}
	}
	memmove(ways, ways + n * row, row * sizeof(*ways));
	*out = ways;
	return KT_OK;
}

static int test_exactly(struct kt_rank_test *out, const size_t *ranks, size_t n, size_t m,
			size_t own)
{
	const size_t sums = (n + m) * (n + m + 1);
	const double mean =
		(double)n * (double)(n + m + 1); /* twice the mean of the rank sum */
	double farthest = 0;
	double all = 0;
	double as_far = 0;
	double at_most = 0;
	double *ways = NULL;

	KT_TRY(count_sums(&ways, ranks, n + m, n, sums));
	for (size_t s = 0; s <= sums; s++) {
		const double distance = fabs((double)s - mean);

		all += ways[s];
		as_far += distance * SAME >= fabs((double)own - mean) ? ways[s] : 0;
		if (ways[s] > 0 && distance > farthest * SAME) {
			farthest = distance;
			at_most = 0;
		}
		at_most += ways[s] > 0 && distance * SAME >= farthest ? ways[s] : 0;
	}
	out->p = as_far / all;
	out->least = at_most / all;
	free(ways);
	return KT_OK;
}

/* The variance of the rank sum, corrected for equal values (Lehmann, "Nonparametrics"). */
static double variance(const size_t *ranks, size_t n, size_t m)
{
	const double all = (double)(n + m);
	double ties = 0;

	for (size_t i = 0, k; i < n + m; i = k) {
		double t;

		for (k = i; k < n + m && ranks[k] == ranks[i]; k++) {
		}
		t = (double)(k - i);
		ties += t * t * t - t;
	}
	return (double)n * (double)m / 12 * (all + 1 - ties / (all * (all - 1)));
}

static double two_sided(double distance, double deviation)
{
	return deviation > 0 ? erfc(distance / deviation / sqrt(2)) : 1;
}

/* Finds the shift and its interval from the sorted differences of all pairs of values. */
static int find_shift(struct kt_rank_test *out, const double *old, size_t n,
		      const double *new, size_t m)
{
	double *differences = malloc(n * m * sizeof(*differences));
	const double half =
		MANY_TIMES * sqrt((double)n * (double)m * (double)(n + m + 1) / 12);
	const double below = floor((double)n * (double)m / 2 - half);
	const size_t cut = below > 0 ? (size_t)below : 0;

	if (!differences) {
		return kt_no_memory("compare figures");
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < m; k++) {
			differences[i * m + k] = new[k] - old[i];
		}
	}
	qsort(differences, n * m, sizeof(*differences), kt_compare_double);
	out->shift = median_of(differences, n * m);
	out->low = differences[cut];
	out->high = differences[n * m - 1 - cut];
	free(differences);
	return KT_OK;
}

int kt_rank_test(struct kt_rank_test *out, double *old, size_t n, double *new, size_t m)
{
	size_t *ranks = calloc(n + m, sizeof(*ranks));
	int code = KT_OK;
	size_t own;

	if (!ranks) {
		return kt_no_memory("compare figures");
	}
	qsort(old, n, sizeof(*old), kt_compare_double);
	qsort(new, m, sizeof(*new), kt_compare_double);
	out->median[0] = median_of(old, n);
	out->median[1] = median_of(new, m);
	own = rank(ranks, old, n, new, m);
	if (n + m <= KT_RANK_EXACT) {
		KT_TRY_END(test_exactly(out, ranks, n, m, own));
	} else {
		const double deviation = 2 * sqrt(variance(ranks, n, m));
		const double mean = (double)n * (double)(n + m + 1);

		out->p = two_sided(fabs((double)own - mean), deviation);
		out->least = two_sided((double)n * (double)m, deviation);
	}
	code = find_shift(out, old, n, new, m);
end:
	free(ranks);
	return code;
}
