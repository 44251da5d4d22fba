/* SPDX-License-Identifier: MIT */
/* Runs a CUnit suite as a program. */
#ifndef KTAIL_TESTS_SUITE_H
#define KTAIL_TESTS_SUITE_H

#include <CUnit/Basic.h>
#include <CUnit/CUnit.h>

/*
 * Runs the tests of a list that ends with CU_TEST_INFO_NULL; returns the exit status for
 * main().
 */
static inline int kt_run_suite(const char *name, CU_TestInfo *tests)
{
	unsigned failures = 1;

	if (CU_initialize_registry() == CUE_SUCCESS) {
		CU_pSuite suite = CU_add_suite(name, NULL, NULL);
		int wrong = !suite;

		for (CU_TestInfo *t = tests; !wrong && t->pName; t++) {
			wrong = !CU_add_test(suite, t->pName, t->pTestFunc);
		}
		CU_basic_set_mode(CU_BRM_VERBOSE);
		if (!wrong && CU_basic_run_tests() == CUE_SUCCESS) {
			failures = CU_get_number_of_failures();
		}
		CU_cleanup_registry();
	}
	return failures != 0;
}

#endif
