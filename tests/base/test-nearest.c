/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/nearest.h"
#include "tests/suite.h"

static const char *const names[] = {"record", "infer", "sweep", "merge", "words",
				    "check",  "diff",  "score", NULL};

static void finds_slips_of_the_pen(void)
{
	CU_ASSERT_STRING_EQUAL(kt_nearest_of("recrod", names), "record");
	CU_ASSERT_STRING_EQUAL(kt_nearest_of("swep", names), "sweep");
	CU_ASSERT_STRING_EQUAL(kt_nearest_of("mergee", names), "merge");
	CU_ASSERT_STRING_EQUAL(kt_nearest_of("ckech", names), "check");
	CU_ASSERT_STRING_EQUAL(kt_nearest_of("store", names), "score");
	CU_ASSERT_STRING_EQUAL(kt_nearest_of("diff", names), "diff");
}

static void takes_a_beginning(void)
{
	CU_ASSERT_STRING_EQUAL(kt_nearest_of("rec", names), "record");
	CU_ASSERT_STRING_EQUAL(kt_nearest_of("in", names), "infer");
	CU_ASSERT_PTR_NULL(kt_nearest_of("r", names));
}

static void leaves_what_is_far(void)
{
	char longer[100];

	CU_ASSERT_PTR_NULL(kt_nearest_of("nonsense", names));
	CU_ASSERT_PTR_NULL(kt_nearest_of("", names));
	CU_ASSERT_PTR_NULL(kt_nearest_of("drf", (const char *const[]){"abc", NULL}));
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	CU_ASSERT_PTR_NULL(kt_nearest_of(longer, names));
	CU_ASSERT_PTR_NULL(kt_nearest_of("aaaa", (const char *const[]){longer, NULL}));
}

/*
 * Of equally near names, the first is returned. Only the first `length` characters of
 * the word are compared.
 */
static void takes_the_first_of_the_nearest(void)
{
	struct kt_nearest nearest = {.word = "acess=off", .length = 5};

	kt_nearest_try(&nearest, "recess");
	kt_nearest_try(&nearest, "access");
	kt_nearest_try(&nearest, "aces");
	CU_ASSERT_STRING_EQUAL(nearest.found, "access");
	CU_ASSERT_EQUAL(nearest.distance, 1);
}

static void asks(void)
{
	char text[KT_DID_YOU_MEAN];

	CU_ASSERT_STRING_EQUAL(kt_did_you_mean(text, "rm"), "; did you mean 'rm'?");
	CU_ASSERT_STRING_EQUAL(kt_did_you_mean(text, NULL), "");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"finds slips of the pen", finds_slips_of_the_pen},
		{"takes a beginning", takes_a_beginning},
		{"leaves what is far", leaves_what_is_far},
		{"takes the first of the nearest", takes_the_first_of_the_nearest},
		{"asks", asks},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("nearest", tests);
}
