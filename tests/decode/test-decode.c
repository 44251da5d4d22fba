/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "decode/classes.h"
#include "decode/ioctls.h"
#include "decode/layouts.h"
#include "tests/suite.h"

static void reads_releases(void)
{
	CU_ASSERT_EQUAL(kt_release_parse("580.159.04"), 580159004);
	CU_ASSERT_EQUAL(kt_release_parse("525.53"), 525053000);
	CU_ASSERT_EQUAL(kt_release_parse("595"), 595000000);
	CU_ASSERT_EQUAL(kt_release_parse("580.65.06 Release"), 580065006);
	CU_ASSERT_EQUAL(kt_release_parse(""), 0);
	CU_ASSERT_EQUAL(kt_release_parse("x580.1"), 0);
	CU_ASSERT_EQUAL(kt_release_parse("99999.1.1"), 0);
	CU_ASSERT_TRUE(kt_release_parse("535.288.01") > kt_release_parse("535.54.03"));
}

static void finds_classes(void)
{
	const struct kt_class *usermode = kt_class_find(0xc661);
	const struct kt_class *channel = kt_class_find(0xc86f);

	CU_ASSERT_PTR_NOT_NULL_FATAL(usermode);
	CU_ASSERT_STRING_EQUAL(usermode->name, "HOPPER_USERMODE_A");
	CU_ASSERT_EQUAL(usermode->kind, KT_CLASS_USERMODE);
	CU_ASSERT_EQUAL(usermode->doorbell, 0x90);
	CU_ASSERT_PTR_NOT_NULL_FATAL(channel);
	CU_ASSERT_EQUAL(channel->kind, KT_CLASS_CHANNEL);
	CU_ASSERT_PTR_NULL(kt_class_find(0xffffffff));
	CU_ASSERT_PTR_NULL(kt_class_find(0xfffe));
}

/* Looks up all numbers, because a binary search misses rows of an unsorted table. */
static void finds_every_class(void)
{
	size_t found = 0;

	for (uint32_t number = 0; number <= 0x10000; number++) {
		const struct kt_class *class = kt_class_find(number);

		if (class) {
			CU_ASSERT_EQUAL(class->number, number);
			CU_ASSERT_TRUE(strlen(class->name) > 0);
			found++;
		}
	}
	CU_ASSERT_EQUAL(found, KT_CLASS_ROWS);
}

static void names_spaces(void)
{
	static const struct {
		uint32_t class;
		const char *space;
	} cases[] = {
		{0, "other"},       {0xc361, "reg"},
		{0xc661, "reg"},    {0x40, "fb"},
		{0x3e, "sys"},      {0xde, "sys"},
		{0x71, "pin"},      {0xb1, "0xb1"},
		{0xcbc0, "0xcbc0"}, {0xffffffff, "0xffffffff"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buffer[12];

		CU_ASSERT_STRING_EQUAL(kt_class_space(cases[i].class, buffer),
				       cases[i].space);
	}
}

static void names_requests(void)
{
	CU_ASSERT_STRING_EQUAL(kt_ioctl_name(KT_IOCTL_RM, 0x2b), "NV_ESC_RM_ALLOC");
	CU_ASSERT_STRING_EQUAL(kt_ioctl_name(KT_IOCTL_UVM, 0x30000001), "UVM_INITIALIZE");
	CU_ASSERT_PTR_NULL(kt_ioctl_name(KT_IOCTL_RM, 0x30000001));
	CU_ASSERT_EQUAL(kt_ioctl_family("nvidiactl"), KT_IOCTL_RM);
	CU_ASSERT_EQUAL(kt_ioctl_family("nvidia7"), KT_IOCTL_RM);
	CU_ASSERT_EQUAL(kt_ioctl_family("nvidia-uvm"), KT_IOCTL_UVM);
	CU_ASSERT_EQUAL(kt_ioctl_family("nvidia-uvm-tools"), KT_IOCTL_UVM);
	CU_ASSERT_EQUAL(kt_ioctl_family("dri"), -1);
}

static uint64_t status_offset(size_t size, const char *release)
{
	const struct kt_layout *layout =
		kt_layout_find(KT_STRUCT_ALLOC, size, kt_release_parse(release));

	return layout ? layout->fields[KT_ROLE_STATUS].offset : UINT64_MAX;
}

static void picks_layouts_by_size_and_release(void)
{
	CU_ASSERT_EQUAL(status_offset(32, "530.30.02"), 24);
	CU_ASSERT_EQUAL(status_offset(32, "535.43.02"), 28);
	CU_ASSERT_EQUAL(status_offset(40, "520.56.06"), 32);
	CU_ASSERT_EQUAL(status_offset(40, "525.147.05"), 36);
	CU_ASSERT_EQUAL(status_offset(48, "580.159.04"), 40);
	CU_ASSERT_EQUAL(status_offset(48, ""), 40);
	CU_ASSERT_EQUAL(status_offset(44, "580.159.04"), UINT64_MAX);
	CU_ASSERT_PTR_NULL(kt_layout_find(KT_STRUCT_NONE, 0, 0));
	CU_ASSERT_EQUAL(kt_layout_extent(kt_layout_find(KT_STRUCT_CHANNEL, 0, 580159004)),
			132);
	CU_ASSERT_EQUAL(kt_layout_of_request(0x2b), KT_STRUCT_ALLOC);
	CU_ASSERT_EQUAL(kt_layout_of_request(0xc8), KT_STRUCT_NONE);
	CU_ASSERT_EQUAL(kt_layout_of_uvm_request(0x21), KT_STRUCT_UVM_MAP);
	CU_ASSERT_EQUAL(kt_layout_of_uvm_request(0x30000001), KT_STRUCT_NONE);
	CU_ASSERT_EQUAL(kt_layout_extent(kt_layout_find(KT_STRUCT_UVM_MAP, 0, 550040007)),
			1200);
	CU_ASSERT_EQUAL(kt_layout_extent(kt_layout_find(KT_STRUCT_UVM_MAP, 0, 580159004)),
			9264);
}

static void reads_fields_within_bounds(void)
{
	const struct kt_layout *layout = kt_layout_find(KT_STRUCT_CONTROL, 32, 580159004);
	unsigned char data[32];

	for (size_t i = 0; i < sizeof(data); i++) {
		data[i] = (unsigned char)(i + 1);
	}
	CU_ASSERT_EQUAL(kt_layout_get(layout, KT_ROLE_CLIENT, data, 32), 0x04030201);
	CU_ASSERT_EQUAL(kt_layout_get(layout, KT_ROLE_PARAMS, data, 32),
			0x1817161514131211);
	CU_ASSERT_EQUAL(kt_layout_get(layout, KT_ROLE_STATUS, data, 32), 0x201f1e1d);
	CU_ASSERT_EQUAL(kt_layout_get(layout, KT_ROLE_STATUS, data, 31), 0);
	CU_ASSERT_EQUAL(kt_layout_get(layout, KT_ROLE_CLASS, data, 32), 0);
}

/* The field has 64 bytes of text. */
static void refuses_text_as_a_number(void)
{
	const struct kt_layout *layout = kt_layout_find(KT_STRUCT_VERSION, 72, 580159004);
	unsigned char data[72];

	memset(data, 0xff, sizeof(data));
	CU_ASSERT_EQUAL(kt_layout_get(layout, KT_ROLE_TEXT, data, sizeof(data)), 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"reads releases", reads_releases},
		{"finds classes", finds_classes},
		{"finds every class", finds_every_class},
		{"names spaces", names_spaces},
		{"names requests", names_requests},
		{"picks layouts by size and release", picks_layouts_by_size_and_release},
		{"reads fields within bounds", reads_fields_within_bounds},
		{"refuses text as a number", refuses_text_as_a_number},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("decode", tests);
}
