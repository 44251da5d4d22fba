/* SPDX-License-Identifier: MIT */
/* Lists commands of submissions made by hand. */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/work.h"
#include "tests/suite.h"

static void add(struct kt_work *work, enum kt_command_kind kind, uint32_t class_number,
		unsigned n)
{
	const struct kt_decoded decoded = {
		.command = {.kind = kind, .class_number = class_number}};

	for (unsigned i = 0; i < n; i++) {
		CU_ASSERT_EQUAL(kt_work_add(work, &decoded), KT_OK);
	}
}

static void check(struct kt_work *work, const char *list)
{
	char buffer[KT_WORK_LIST];

	CU_ASSERT_STRING_EQUAL(kt_work_list(work, buffer), list);
}

static void test_order(void)
{
	struct kt_work work = {.methods = 0};

	check(&work, "");
	add(&work, KT_COMMAND_NONE, 0xcbc0, 3);
	check(&work, "");
	add(&work, KT_COMMAND_BIND, 0xcbc0, 1);
	add(&work, KT_COMMAND_BIND, 0xc8b5, 1);
	add(&work, KT_COMMAND_RELEASE, 0xcbc0, 1);
	check(&work, "bind HOPPER_COMPUTE_A, bind HOPPER_DMA_COPY_A, semaphore-release");
	/* The same command of another engine has the same name. */
	add(&work, KT_COMMAND_RELEASE, 0xc8b5, 1);
	add(&work, KT_COMMAND_BIND, 0xcbc0, 1);
	check(&work, "bind HOPPER_COMPUTE_A ×2, bind HOPPER_DMA_COPY_A, "
		     "semaphore-release ×2");
	kt_work_clear(&work);
	check(&work, "");
	kt_work_free(&work);
}

static void test_most(void)
{
	struct kt_work work = {.methods = 0};
	char buffer[KT_WORK_LIST];

	for (uint32_t i = 0; i < KT_WORK_COMMANDS; i++) {
		add(&work, KT_COMMAND_BIND, 0xfff0 + i, 1);
	}
	add(&work, KT_COMMAND_WAIT_FOR_IDLE, 0, 2);
	add(&work, KT_COMMAND_BIND, 0xfff1, 1);
	check(&work, "bind 0xfff0, bind 0xfff1 ×2, bind 0xfff2, bind 0xfff3, bind 0xfff4, "
		     "bind 0xfff5, bind 0xfff6, bind 0xfff7, and 2 more");
	kt_work_clear(&work);
	for (uint32_t i = 0; i < KT_WORK_COMMANDS; i++) {
		work.commands[i] =
			(struct kt_work_command){KT_COMMAND_RELEASE, i, UINT64_MAX};
	}
	work.n_commands = KT_WORK_COMMANDS;
	work.other_commands = UINT64_MAX;
	CU_ASSERT_PTR_NOT_NULL(
		strstr(kt_work_list(&work, buffer), ", and 18446744073709551615 more"));
	kt_work_free(&work);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"commands in order, with counts", test_order},
		{"at most eight commands, and the number of others", test_most},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("work", tests);
}
