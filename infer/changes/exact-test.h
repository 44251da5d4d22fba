/* SPDX-License-Identifier: MIT */
/*
 * Fisher's exact test of two shares, and its correction for many comparisons: R. A. Fisher,
 * "Statistical Methods for Research Workers", 5th ed. (1934), section 21.02; R. E. Tarone,
 * "A Modified Bonferroni Method for Discrete Data", Biometrics 46 (1990).
 */
#ifndef KTAIL_CHANGES_EXACT_TEST_H
#define KTAIL_CHANGES_EXACT_TEST_H

#include <stddef.h>

/*
 * Returns the probability, two-sided, that chance alone divides a + b of the n + m
 * recordings as unevenly as a of n on one side and b of m on the other. a <= n, b <= m.
 * O(n + m).
 */
double kt_fisher(size_t a, size_t n, size_t b, size_t m);

/* Returns the smallest value of kt_fisher() for any division of `both` recordings. */
double kt_fisher_least(size_t both, size_t n, size_t m);

/*
 * Returns the bound that a value of kt_fisher() must not exceed to be a finding, so that
 * chance alone gives a finding with at most the probability `level` in all n_tests
 * comparisons together. least[] are their values of kt_fisher_least(): a comparison that
 * could not be a finding in any case does not count. O(n_tests^2).
 */
double kt_tarone_bound(const double *least, size_t n_tests, double level);

#endif
