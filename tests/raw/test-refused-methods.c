/* SPDX-License-Identifier: MIT */
/*
 * Every named method of every class: methods that name memory which the checks do not
 * follow, or that emit methods, are refused whatever their value.
 */
#include <stdio.h>
#include <string.h>

#include "raw/check/privileges.h"
#include "tests/suite.h"

/* Parts of names. */
static const char *const beside[] = {
	"MME",           "NOTIFY",         "NOTIFICATION",  "PERFMON",
	"PERFORMANCE",   "VIRTUALIZATION", "TRAP",          "CRYPT",
	"RENDER_ENABLE", "FALCON",         "PHYS",          "POOL",
	"LOCAL_MEMORY",  "FENCE",          "CONTEXT_DMA",   "CTX_DMA",
	"WINDOW",        "PROGRAM_REGION", "PIPE",          "SCG",
	"SECURE",        "SESSION_KEY",    "OVERFLOW_AREA", "ORIGIN",
};

static bool is_beside(const char *name)
{
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		if (strstr(name, beside[i])) {
			return true;
		}
	}
	return false;
}

static void test_names(void)
{
	size_t refused = 0;
	size_t allowed = 0;

	for (size_t i = 0; i < kt_method_classes(); i++) {
		struct kt_decoded d = {.class_ = kt_method_class_at(i), .named = true};

		d.class_number = kt_method_class_number(d.class_);
		for (size_t j = 0; kt_method_at(d.class_, j, &d.info); j++) {
			d.method.offset = d.info.offset;
			if (d.info.offset < 0x100) {
				continue;
			}
			if (kt_raw_refused(&d)) {
				refused++;
			} else if (is_beside(d.info.name)) {
				printf("%s %s\n", kt_method_class_name(d.class_),
				       d.info.name);
				CU_FAIL("an allowed method");
			} else {
				allowed++;
			}
		}
	}
	CU_ASSERT(refused > 5000);
	CU_ASSERT(allowed > 300);
}

/* Methods that act are refused if the decoder sees no command. */
static void test_actions(void)
{
	static const char *const acting[] = {
		"SET_REPORT_SEMAPHORE_D", "REPORT_SEMAPHORE_EXECUTE", "SEND_PCAS_B",
		"SEND_SIGNALING_PCAS_B", "SEND_SIGNALING_PCAS2_B"};
	struct kt_decoded d = {.class_ = kt_method_class_find(0xcbc0),
			       .class_number = 0xcbc0,
			       .named = true};

	for (size_t i = 0; i < sizeof(acting) / sizeof(acting[0]); i++) {
		CU_ASSERT_FATAL(kt_method_find_name(d.class_, acting[i], &d.info));
		d.method.offset = d.info.offset;
		d.method.value = 1;
		d.command.kind = KT_COMMAND_NONE;
		CU_ASSERT_PTR_NOT_NULL(kt_raw_refused(&d));
		d.method.value = UINT32_MAX;
		CU_ASSERT_PTR_NOT_NULL(kt_raw_refused(&d));
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"names of all classes", test_names},
		{"actions", test_actions},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("raw-refused-methods", tests);
}
