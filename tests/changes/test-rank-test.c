/* SPDX-License-Identifier: MIT */
/*
 * Compares the rank test with an enumeration of all ways to divide the values, and with
 * values worked out by hand.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "infer/changes/rank-test.h"
#include "tests/suite.h"

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

/* Returns twice the rank of a value; equal values share their mean rank. */
static size_t rank_of(double value, const double *all, size_t n)
{
	size_t below = 0;
	size_t equal = 0;

	for (size_t i = 0; i < n; i++) {
		below += all[i] < value;
		equal += all[i] == value;
	}
	return 2 * below + equal + 1;
}

/* Finds p and least by trying each choice of n of the values as the old side. */
static void enumerate(double *p, double *least, const double *all, size_t n, size_t total)
{
	const double mean = (double)n * (double)(total + 1);
	double farthest = 0;
	double own = 0;
	size_t choices = 0;
	size_t as_far = 0;
	size_t extreme = 0;

	for (size_t i = 0; i < n; i++) {
		own += (double)rank_of(all[i], all, total);
	}
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned mask = 0; mask < 1u << total; mask++) {
			double sum = 0;

			if ((size_t)__builtin_popcount(mask) != n) {
				continue;
			}
			for (size_t i = 0; i < total; i++) {
				sum += mask >> i & 1 ? (double)rank_of(all[i], all, total)
						     : 0;
			}
			if (pass == 0) {
				choices++;
				as_far += fabs(sum - mean) >= fabs(own - mean);
				farthest = fmax(farthest, fabs(sum - mean));
			} else {
				extreme += fabs(sum - mean) >= farthest;
			}
		}
	}
	*p = (double)as_far / (double)choices;
	*least = (double)extreme / (double)choices;
}

static void equals_the_enumeration(void)
{
	srand(7);
	for (int round = 0; round < 300; round++) {
		double all[10];
		double values[10];
		const size_t n = 1 + (size_t)rand() % 5;
		const size_t m = 1 + (size_t)rand() % 5;
		struct kt_rank_test test;
		double p;
		double least;

		for (size_t i = 0; i < n + m; i++) {
			all[i] = values[i] = rand() % (round % 2 ? 4 : 1000);
		}
		enumerate(&p, &least, all, n, n + m);
		CU_ASSERT_EQUAL(kt_rank_test(&test, values, n, values + n, m), KT_OK);
		CU_ASSERT(near(test.p, p));
		CU_ASSERT(near(test.least, least));
	}
}

static void knows_values_by_hand(void)
{
	double old[] = {1, 2, 3};
	double new[] = {11, 12, 13};
	double equal[2][2] = {{5, 5}, {5, 5}};
	struct kt_rank_test test;

	kt_rank_test(&test, old, 3, new, 3);
	CU_ASSERT(near(test.p, 0.1)); /* 2 of 20 divisions */
	CU_ASSERT(near(test.least, 0.1));
	CU_ASSERT_EQUAL(test.shift, 10);
	CU_ASSERT_EQUAL(test.median[0], 2);
	CU_ASSERT_EQUAL(test.median[1], 12);
	kt_rank_test(&test, equal[0], 2, equal[1], 2);
	CU_ASSERT(near(test.p, 1));
	CU_ASSERT_EQUAL(test.low, 0);
	CU_ASSERT_EQUAL(test.high, 0);
}

/*
 * The interval contains the true shift in about 95 of 100 cases; without a shift, p is at
 * most 0.05 in about 5 of 100.
 */
static void holds_its_level(void)
{
	size_t inside = 0;
	size_t found = 0;

	srand(11);
	for (int round = 0; round < 1000; round++) {
		double old[16];
		double new[16];
		struct kt_rank_test test;

		for (size_t i = 0; i < 16; i++) {
			old[i] = rand() % 100000;
			new[i] = rand() % 100000 + 25000;
		}
		kt_rank_test(&test, old, 16, new, 16);
		inside += test.low <= 25000 && 25000 <= test.high;
		for (size_t i = 0; i < 16; i++) {
			new[i] = rand() % 100000;
		}
		kt_rank_test(&test, old, 16, new, 16);
		found += test.p <= 0.05;
	}
	CU_ASSERT(inside >= 930 && inside <= 980);
	CU_ASSERT(found <= 65);
}

/* With more than KT_RANK_EXACT values, the approximation gives a probability. */
static void approximates_many_values(void)
{
	double old[40];
	double new[40];
	struct kt_rank_test exact;
	struct kt_rank_test many;

	srand(3);
	for (size_t i = 0; i < 40; i++) {
		old[i] = rand() % 50;
		new[i] = rand() % 50 + 8;
	}
	kt_rank_test(&many, old, 40, new, 40);
	kt_rank_test(&exact, old, 32, new, 32);
	CU_ASSERT(many.p > 0 && many.p < 1);
	CU_ASSERT(many.least < 1e-12);
	CU_ASSERT(exact.p > 0 && exact.p < 1);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"equals the enumeration of all divisions", equals_the_enumeration},
		{"knows values by hand", knows_values_by_hand},
		{"holds its level", holds_its_level},
		{"approximates many values", approximates_many_values},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("rank test", tests);
}
