/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "decode/controls.h"
#include "decode/ioctls.h"
#include "tests/suite.h"

static void knows_commands(void)
{
	CU_ASSERT_STRING_EQUAL(kt_control_name(KT_CONTROL_GET_WORK_SUBMIT_TOKEN),
			       "NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN");
	CU_ASSERT_STRING_EQUAL(kt_control_name(0x906f0101),
			       "NV906F_CTRL_GET_CLASS_ENGINEID");
	CU_ASSERT_STRING_EQUAL(kt_control_name(0), "NV0000_CTRL_CMD_NULL");
	CU_ASSERT_STRING_EQUAL(kt_control_name(0x00000102),
			       "NV0000_CTRL_CMD_SYSTEM_GET_CPU_INFO");
	CU_ASSERT_EQUAL(kt_control_find(0x00000102, 0)->bytes, 108);
	CU_ASSERT_EQUAL(kt_control_find(0, 0)->bytes, 0);
	CU_ASSERT_STRING_EQUAL(kt_control_name(0xcb330101),
			       "NV_CONF_COMPUTE_CTRL_CMD_SYSTEM_GET_CAPABILITIES");
	CU_ASSERT_STRING_EQUAL(kt_control_name(0x00da0002),
			       "NV_SEMAPHORE_SURFACE_CTRL_CMD_BIND_CHANNEL");
	CU_ASSERT_PTR_NULL(kt_control_name(1));
	CU_ASSERT_PTR_NULL(kt_control_name(UINT32_MAX));
	CU_ASSERT_PTR_NULL(kt_control_find(0xdeadbeef, 580159004));
	CU_ASSERT_EQUAL(kt_control_find(0x00000102, 0)->who, KT_CONTROL_ANY);
	CU_ASSERT_EQUAL(kt_control_find(0xa06c0107, 0)->who, KT_CONTROL_NICE);
	CU_ASSERT_EQUAL(kt_control_find(0x00000101, 0)->who, KT_CONTROL_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(kt_control_who_name(KT_CONTROL_INTERNAL), "internal");
}

/* Command 0x107 has one name up to release 545.23.06 and another later. */
static void knows_what_a_release_meant(void)
{
	const char *old = "NV0000_CTRL_CMD_SYSTEM_SET_MEMORY_SIZE";
	const char *young = "NV0000_CTRL_SYSTEM_GET_VRR_COOKIE_PRESENT";

	CU_ASSERT_STRING_EQUAL(kt_control_find(0x107, 515043004)->name, old);
	CU_ASSERT_STRING_EQUAL(kt_control_find(0x107, 545023006)->name, old);
	CU_ASSERT_EQUAL(kt_control_find(0x107, 545023006)->last, 545023006);
	CU_ASSERT_STRING_EQUAL(kt_control_find(0x107, 545023007)->name, young);
	CU_ASSERT_STRING_EQUAL(kt_control_find(0x107, 0)->name, young);
	CU_ASSERT_STRING_EQUAL(kt_control_name(0x107), young);
	/* Release 525.147.05 is the last that has command 0x103. */
	CU_ASSERT_STRING_EQUAL(kt_control_find(0x103, 580159004)->name,
			       "NV0000_CTRL_CMD_SYSTEM_GET_CAPS");
}

static void finds_every_row(void)
{
	CU_ASSERT_EQUAL(kt_controls(), KT_CONTROL_ROWS);
	for (size_t i = 0; i < kt_controls(); i++) {
		const struct kt_control *control = kt_control_at(i);

		CU_ASSERT_PTR_EQUAL(kt_control_find(control->command, control->last),
				    control);
		CU_ASSERT_TRUE(control->bytes <= 1 << 20);
		CU_ASSERT_PTR_NOT_NULL(strstr(control->name, "_CTRL_"));
		if (i > 0) {
			const struct kt_control *before = kt_control_at(i - 1);

			CU_ASSERT_TRUE(before->command < control->command ||
				       (before->command == control->command &&
					before->last < control->last));
		}
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"knows commands", knows_commands},
		{"knows what a release meant", knows_what_a_release_meant},
		{"finds every row", finds_every_row},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("controls", tests);
}
