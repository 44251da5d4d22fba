/* SPDX-License-Identifier: MIT */
#include "decode/statuses.h"
#include "tests/suite.h"

static void knows_codes(void)
{
	CU_ASSERT_STRING_EQUAL(kt_status_name(KT_STATUS_OK, 0), "NV_OK");
	CU_ASSERT_STRING_EQUAL(kt_status_name(0x57, 580159004), "NV_ERR_OBJECT_NOT_FOUND");
	CU_ASSERT_STRING_EQUAL(kt_status_name(0x56, 0), "NV_ERR_NOT_SUPPORTED");
	CU_ASSERT_STRING_EQUAL(kt_status_name(0xffff, 0), "NV_ERR_GENERIC");
	CU_ASSERT_STRING_EQUAL(kt_status_name(0x10006, 0), "NV_WARN_NOTHING_TO_DO");
	CU_ASSERT_PTR_NULL(kt_status_name(0xdead, 0));
	CU_ASSERT_PTR_NULL(kt_status_name(UINT32_MAX, 580159004));
}

/* 0x81 was renamed after 550.163.01. */
static void knows_what_a_release_meant(void)
{
	const char *old = "NV_ERR_NVSWITCH_FABRIC_NOT_READY";
	const char *young = "NV_ERR_NVLINK_FABRIC_NOT_READY";

	CU_ASSERT_STRING_EQUAL(kt_status_name(0x81, 550163001), old);
	CU_ASSERT_STRING_EQUAL(kt_status_name(0x81, 550163002), young);
	CU_ASSERT_STRING_EQUAL(kt_status_name(0x81, 0), young);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"knows codes", knows_codes},
		{"knows what a release meant", knows_what_a_release_meant},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("statuses", tests);
}
