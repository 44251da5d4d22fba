/* SPDX-License-Identifier: MIT */
/* kt_conserve_check() detects every count and every state number that is off by one. */
#include <CUnit/Basic.h>
#include <string.h>

#include "infer/engine/conserve.h"
#include "tests/engine/oracle/random-sets.h"
#include "tests/engine/oracle/reference.h"

static kt_words *words;
static struct kt_fsm *fsm;

static int set_up(void)
{
	static const char *const strings[] = {"abcabd", "<cabd", "ab>", ""};
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;

	options.k = 2;
	words = set_of_strings(strings, 4);
	return kt_infer(&fsm, words, &options) != KT_OK;
}

static int tear_down(void)
{
	kt_fsm_free(fsm);
	kt_words_free(words);
	return 0;
}

static void test_good(void)
{
	CU_ASSERT_EQUAL(kt_conserve_check(fsm, words), KT_OK);
}

static void test_numbers(void)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		fsm->transitions[i].count++;
		CU_ASSERT_EQUAL(kt_conserve_check(fsm, words), KT_E_INTERNAL);
		fsm->transitions[i].count--;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		fsm->states[i].visits++;
		CU_ASSERT_EQUAL(kt_conserve_check(fsm, words), KT_E_INTERNAL);
		fsm->states[i].visits--;
		fsm->states[i].ends++;
		CU_ASSERT_EQUAL(kt_conserve_check(fsm, words), KT_E_INTERNAL);
		fsm->states[i].ends--;
	}
	CU_ASSERT_EQUAL(kt_conserve_check(fsm, words), KT_OK);
}

/* A wrong target, entry or exit does not change the sums. */
static void test_ends(void)
{
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		uint32_t to = fsm->transitions[i].to;

		fsm->transitions[i].to = (to + 1) % (uint32_t)fsm->n_states;
		CU_ASSERT_EQUAL(kt_conserve_check(fsm, words), KT_E_INTERNAL);
		fsm->transitions[i].to = to;
	}
	for (size_t i = 0; i < fsm->n_words; i++) {
		uint32_t entry = fsm->words[i].entry;
		uint32_t exit = fsm->words[i].exit;

		fsm->words[i].entry = (entry + 1) % (uint32_t)fsm->n_states;
		CU_ASSERT_EQUAL(kt_conserve_check(fsm, words), KT_E_INTERNAL);
		fsm->words[i].entry = entry;
		fsm->words[i].exit = (exit + 1) % (uint32_t)fsm->n_states;
		CU_ASSERT_EQUAL(kt_conserve_check(fsm, words), KT_E_INTERNAL);
		fsm->words[i].exit = exit;
	}
	CU_ASSERT_EQUAL(kt_conserve_check(fsm, words), KT_OK);
}

static void test_twins(void)
{
	struct kt_fsm_transition first = fsm->transitions[0];

	fsm->transitions[0].letter = fsm->transitions[1].letter;
	fsm->transitions[0].from = fsm->transitions[1].from;
	CU_ASSERT_EQUAL(kt_conserve_check(fsm, words), KT_E_INTERNAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), "transitions in order"));
	fsm->transitions[0] = first;
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"good", test_good},   {"numbers", test_numbers}, {"places", test_ends},
		{"twins", test_twins}, CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{"conserve", set_up, tear_down, NULL, NULL, tests},
		CU_SUITE_INFO_NULL,
	};
	unsigned failures;

	if (CU_initialize_registry() != CUE_SUCCESS ||
	    CU_register_suites(suites) != CUE_SUCCESS) {
		return 1;
	}
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	failures = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
	CU_cleanup_registry();
	return failures != 0;
}
