/* SPDX-License-Identifier: MIT */
/* Code is written wherever it lies, also over the end of a page. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/instructions/patch-sites.h"
#include "collect/preload/process/memory.h"
#include "tests/suite.h"

#define CODE (PROT_READ | PROT_EXEC)

static void test_write_code(void)
{
	static const uint64_t value = 0x1122334455667788;
	uint8_t *pages = mmap(NULL, 2 * KT_PAGE, CODE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CU_ASSERT_NOT_EQUAL_FATAL(pages, MAP_FAILED);
	for (size_t before = 0; before <= sizeof(value); before++) {
		uint8_t *at = pages + KT_PAGE - before;

		CU_ASSERT_TRUE(kt_patch_write_code((uintptr_t)at, &value, sizeof(value)));
		CU_ASSERT_EQUAL(memcmp(at, &value, sizeof(value)), 0);
		CU_ASSERT_EQUAL(kt_memory_protection((uintptr_t)pages, 2 * KT_PAGE), CODE);
	}
	munmap(pages, 2 * KT_PAGE);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"code over the end of a page", test_write_code},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("patch sites", tests);
}
