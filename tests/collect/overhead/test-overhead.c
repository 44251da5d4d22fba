/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/overhead/overhead.h"

#include <stdlib.h>

#include "tests/suite.h"

#define MS     UINT64_C(1000000)
#define ROUNDS 20000

static void test_golden(void)
{
	static const struct {
		uint64_t ns[5]; /* for doorbells, and for accesses to mappings 1 to 4 */
		uint32_t percent;
		bool above;
		bool all;
		size_t n;
		uint32_t mappings[4];
	} rows[] = {
		/* In 100 ms: 20 ms in the recorder are 25 % of the other 80 ms. */
		{{0, 20 * MS}, 25, false, false, 0, {0}},
		{{0, 20 * MS}, 24, true, false, 1, {1}},
		{{20 * MS}, 24, true, true, 0, {0}},
		{{5 * MS, 0, 4 * MS, 3 * MS, 8 * MS}, 20, true, false, 1, {4}},
		{{5 * MS, 0, 4 * MS, 3 * MS, 8 * MS}, 12, true, false, 2, {4, 2}},
		{{5 * MS, 0, 4 * MS, 3 * MS, 8 * MS}, 7, true, false, 3, {4, 2, 3}},
		{{5 * MS, 0, 4 * MS, 3 * MS, 8 * MS}, 6, true, true, 3, {4, 2, 3}},
		{{0, 90 * MS}, 1000, false, false, 0, {0}},
		{{0, 100 * MS}, 1000, true, false, 1, {1}},
		{{0, 120 * MS}, 1000, true, false, 1, {1}}, /* the constants are too high */
		{{0}, 1, false, false, 0, {0}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kt_overhead_choice choice;
		struct kt_overhead account;

		kt_overhead_open(&account, 7);
		for (uint32_t mapping = 0; mapping < 5; mapping++) {
			if (rows[i].ns[mapping]) {
				kt_overhead_add(&account, mapping, 1);
				kt_overhead_add(&account, mapping, rows[i].ns[mapping] - 1);
			}
		}
		CU_ASSERT_EQUAL(kt_overhead_is_above(&account, 7 + 100 * MS,
						     rows[i].percent, &choice),
				rows[i].above);
		CU_ASSERT_EQUAL(choice.all, rows[i].all);
		CU_ASSERT_EQUAL_FATAL(choice.n, rows[i].n);
		for (size_t k = 0; k < choice.n; k++) {
			CU_ASSERT_EQUAL(choice.mappings[k], rows[i].mappings[k]);
		}
	}
}

/* More mappings than the account has shares: the others count, but are not chosen. */
static void test_full(void)
{
	struct kt_overhead_choice choice;
	struct kt_overhead account;

	kt_overhead_open(&account, 0);
	for (uint32_t i = 1; i <= KT_OVERHEAD_SHARES + 4; i++) {
		kt_overhead_add(&account, i, i <= KT_OVERHEAD_SHARES ? 1 * MS : 5 * MS);
	}
	kt_overhead_add(&account, 3, 1 * MS);
	CU_ASSERT_EQUAL(account.inside, (KT_OVERHEAD_SHARES + 1 + 4 * 5) * MS);
	CU_ASSERT_EQUAL(kt_overhead_rest(&account, 100 * MS), 63 * MS);
	CU_ASSERT_TRUE(kt_overhead_is_above(&account, 100 * MS, 1, &choice));
	CU_ASSERT_TRUE(choice.all);
	CU_ASSERT_EQUAL(choice.n, KT_OVERHEAD_SHARES);
	CU_ASSERT_EQUAL(choice.mappings[0], 3);
	kt_overhead_open(&account, 100 * MS);
	CU_ASSERT_FALSE(kt_overhead_is_above(&account, 200 * MS, 1, &choice));
}

/* --- against all subsets of mappings --- */

enum { MAPPINGS = 8 };

struct window {
	uint64_t all;    /* length of the window */
	uint64_t inside; /* of it, in the recorder */
	uint64_t of[MAPPINGS];
};

/* Whether the overhead is at most `percent` if the accesses to a set had not been. */
static bool would_do(const struct window *window, unsigned set, uint64_t percent)
{
	uint64_t saved = 0;
	uint64_t rest = window->all > window->inside ? window->all - window->inside : 0;

	for (unsigned i = 0; i < MAPPINGS; i++) {
		saved += set >> i & 1 ? window->of[i] : 0;
	}
	return window->inside - saved <= rest / 100 * percent;
}

/* Returns the size of the smallest set that would do; MAPPINGS + 1: none. */
static unsigned smallest(const struct window *window, uint64_t percent)
{
	unsigned best = MAPPINGS + 1;

	for (unsigned set = 0; set < 1u << MAPPINGS; set++) {
		unsigned size = (unsigned)__builtin_popcount(set);

		if (size < best && would_do(window, set, percent)) {
			best = size;
		}
	}
	return best;
}

static void test_random(void)
{
	unsigned seen[MAPPINGS + 2] = {0};

	srandom(24);
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t percent = 1 + (uint32_t)random() % 200;
		uint64_t begun = (uint64_t)random();
		struct kt_overhead_choice choice;
		struct kt_overhead account;
		struct window window = {.all = 1 + (uint64_t)random() % 2000};
		unsigned set = 0;
		unsigned best;

		kt_overhead_open(&account, begun);
		for (int n = random() % 40; n > 0; n--) {
			uint32_t mapping = (uint32_t)random() % (MAPPINGS + 1);
			uint64_t ns = (uint64_t)random() % 100;

			kt_overhead_add(&account, mapping, ns);
			window.inside += ns;
			window.of[mapping ? mapping - 1 : 0] += mapping ? ns : 0;
		}
		best = smallest(&window, percent);
		seen[best]++;
		CU_ASSERT_EQUAL(kt_overhead_is_above(&account, begun + window.all, percent,
						     &choice),
				best > 0);
		CU_ASSERT_EQUAL(choice.all, best > MAPPINGS);
		for (size_t i = 0; i < choice.n; i++) {
			set |= 1u << (choice.mappings[i] - 1);
		}
		if (best <= MAPPINGS) {
			CU_ASSERT_EQUAL(choice.n, best);
			CU_ASSERT_TRUE(would_do(&window, set, percent));
		}
	}
	for (unsigned i = 0; i <= MAPPINGS + 1; i++) {
		CU_ASSERT_TRUE(seen[i] > 0 || i == MAPPINGS);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"golden", test_golden},
		{"more mappings than shares", test_full},
		{"random, against all subsets", test_random},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("overhead", tests);
}
