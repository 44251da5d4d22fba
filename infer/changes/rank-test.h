/* SPDX-License-Identifier: MIT */
/*
 * Compares a quantity of two sides by ranks: the exact permutation test of the rank sum (F.
 * Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1 (1945)), and
 * the shift between the sides with an interval (J. L. Hodges and E. L. Lehmann, "Estimates
 * of Location Based on Rank Tests", Annals of Mathematical Statistics 34 (1963)).
 */
#ifndef KTAIL_CHANGES_RANK_TEST_H
#define KTAIL_CHANGES_RANK_TEST_H

#include <stddef.h>

/* If both sides together have more values than this, p is a normal approximation. */
#define KT_RANK_EXACT 64

struct kt_rank_test {
	double p; /* two-sided probability that chance makes ranks at least as uneven as
		   * these */
	/* the smallest p of any division of the values into sides of n and m values */
	double least;
	double median[2]; /* old, new */
	/* the median of the differences new - old of all pairs, and its 95 % interval */
	double shift;
	double low;
	double high;
};

/*
 * Sorts old[0..n) and new[0..m) in place and compares them; n and m are at least 1. Equal
 * values share their mean rank. KT_E_MEMORY with a message.
 *
 * The test takes O(n (n + m)^3) for up to KT_RANK_EXACT values, O(n + m) for more; the
 * shift takes O(nm log nm).
 */
int kt_rank_test(struct kt_rank_test *out, double *old, size_t n, double *new, size_t m);

#endif
