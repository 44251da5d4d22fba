/* SPDX-License-Identifier: MIT */
/* Runs one CUnit suite; main() returns what this returns. */
#ifndef KTAIL_TESTS_WORDS_SUITE_H
#define KTAIL_TESTS_WORDS_SUITE_H

#include <CUnit/Basic.h>

static inline int run_suite(const char *name, CU_TestInfo *tests)
{
	CU_SuiteInfo suites[] = {
		{name, NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL,
	};
	unsigned failures;

	if (CU_initialize_registry() != CUE_SUCCESS ||
	    CU_register_suites(suites) != CUE_SUCCESS) {
		return 1;
	}
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	failures = CU_get_number_of_failures();
	CU_cleanup_registry();
	return failures != 0;
}

#endif
