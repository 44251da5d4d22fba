/* SPDX-License-Identifier: MIT */
#include "infer/changes/exact-test.h"

#include <math.h>

/* Probabilities that differ by rounding alone count as equal. */
#define SAME (1 + 1e-9)

static double log_choose(size_t n, size_t k)
{
	return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/*
 * Returns the hypergeometric probability that exactly a items are of the first kind, if a +
 * b items are drawn from n items of the first kind and m items of the second kind.
 */
static double probability(size_t a, size_t n, size_t b, size_t m)
{
	return exp(log_choose(n, a) + log_choose(m, b) - log_choose(n + m, a + b));
}

double kt_fisher(size_t a, size_t n, size_t b, size_t m)
{
	const size_t both = a + b;
	const double own = probability(a, n, b, m);
	double sum = 0;

	for (size_t x = both > m ? both - m : 0; x <= n && x <= both; x++) {
		const double p = probability(x, n, both - x, m);

		sum += p <= own * SAME ? p : 0;
	}
	return sum < 1 ? sum : 1;
}

double kt_fisher_least(size_t both, size_t n, size_t m)
{
	const size_t low = both > m ? both - m : 0;
	const size_t high = both < n ? both : n;
	const double a = kt_fisher(low, n, both - low, m);
	const double b = kt_fisher(high, n, both - high, m);

	return a < b ? a : b;
}

double kt_tarone_bound(const double *least, size_t n_tests, double level)
{
	for (size_t k = 1; k <= n_tests; k++) {
		size_t possible = 0;

		for (size_t i = 0; i < n_tests; i++) {
			possible += least[i] <= level / (double)k;
		}
		if (possible <= k) {
			return level / (double)k;
		}
	}
	return level;
}
