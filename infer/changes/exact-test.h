/* SPDX-License-Identifier: MIT */
/*
 * Fisher's exact test of two proportions, and a correction for many comparisons: R. A.
 * Fisher, "Statistical Methods for Research Workers", 5th ed. (1934), section 21.02; R. E.
 * Tarone, "A Modified Bonferroni Method for Discrete Data", Biometrics 46 (1990).
 */
#ifndef KTAIL_CHANGES_EXACT_TEST_H
#define KTAIL_CHANGES_EXACT_TEST_H

#include <stddef.h>

/*
 * A property occurs in `a` of the n recordings of one side and in `b` of the m recordings
 * of the other. Returns the two-sided probability that chance alone divides a + b
 * occurrences between the sides at least as unevenly as observed. a <= n, b <= m. O(n + m).
 */
double kt_fisher(size_t a, size_t n, size_t b, size_t m);

/*
 * Returns the smallest value that kt_fisher() has for any division of `both` occurrences
 * between a side of n and a side of m recordings.
 */
double kt_fisher_least(size_t both, size_t n, size_t m);

/*
 * Returns the bound that a value of kt_fisher() must not exceed to be a finding. With this
 * bound, chance alone gives any finding among the n_tests comparisons with a probability of
 * at most `level`.
 *
 * least[] holds the value of kt_fisher_least() for each comparison. A comparison that could
 * not be a finding for any division of its occurrences does not count. O(n_tests^2).
 */
double kt_tarone_bound(const double *least, size_t n_tests, double level);

#endif
