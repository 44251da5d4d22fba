/* SPDX-License-Identifier: MIT */
/* Which instructions are worth a patch, by how often they have faulted. */
#include "collect/preload/access/hot-sites.h"
#include "tests/suite.h"

/* Returns how many faults of the instruction make it worth a patch. */
static unsigned faults_until_hot(uintptr_t ip)
{
	unsigned n = 1;

	while (!kt_hot_site_fault(ip)) {
		n++;
	}
	return n;
}

static void test_hot(void)
{
	CU_ASSERT_EQUAL(faults_until_hot(0x1000), 16);
	/* A patch that could not be kept is tried again. */
	CU_ASSERT_EQUAL(faults_until_hot(0x1000), 16);
}

static void test_independent(void)
{
	for (unsigned i = 0; i < 15; i++) {
		CU_ASSERT_FALSE(kt_hot_site_fault(0x2000));
		CU_ASSERT_FALSE(kt_hot_site_fault(0x2001));
	}
	CU_ASSERT_TRUE(kt_hot_site_fault(0x2000));
	CU_ASSERT_TRUE(kt_hot_site_fault(0x2001));
}

static void test_loops(void)
{
	static const unsigned after[] = {64, 256, 256, 256};

	CU_ASSERT_EQUAL(faults_until_hot(0x3000), 16);
	for (unsigned i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		kt_hot_site_cool(0x3000);
		CU_ASSERT_EQUAL(faults_until_hot(0x3000), after[i]);
	}
}

static void test_forced(void)
{
	unsigned usual = kt_hot_site_faults;

	kt_hot_site_faults = 1;
	CU_ASSERT_EQUAL(faults_until_hot(0x4000), 1);
	CU_ASSERT_EQUAL(faults_until_hot(0x4000), 1);
	kt_hot_site_cool(0x4000);
	CU_ASSERT_EQUAL(faults_until_hot(0x4000), 4);
	kt_hot_site_faults = usual;
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"instructions that fault often", test_hot},
		{"instructions are counted apart", test_independent},
		{"loops", test_loops},
		{"each at its first fault", test_forced},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("hot sites", tests);
}
