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

/* With more values in both sides together, the normal approximation is used. */
#define KT_RANK_EXACT 64

struct kt_rank_test {
	double p; /* two-sided: ranks as uneven arise by chance alone; 1: all are equal */
	/* the smallest p that any division of the values into two sides of that size has */
	double least;
	double median[2];
	/* the median of the differences new - old of all pairs, and its 95 % interval */
	double shift;
	double low;
	double high;
};

/*
 * Compares old[0..n) and new[0..m), which are sorted by it; n and m are at least 1. Equal
 * values share their mean rank. KT_E_MEMORY with a message. O((n + m)^3) up to
 * KT_RANK_EXACT values, and O(nm log nm).
 */
int kt_rank_test(struct kt_rank_test *out, double *old, size_t n, double *new, size_t m);

#endif
