/* SPDX-License-Identifier: MIT */
/* Tests which part of a mapping counts as unused. */
#include <stdlib.h>
#include <string.h>

#include "raw/channel/idle-space.h"
#include "tests/suite.h"

#define PAGE 4096u

static unsigned char *pages(size_t n)
{
	unsigned char *memory = aligned_alloc(PAGE, n * PAGE);

	CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
	memset(memory, 0, n * PAGE);
	return memory;
}

static void expect(const unsigned char *memory, size_t n, size_t most, size_t first,
		   size_t length)
{
	struct kt_idle_space space;

	CU_ASSERT_EQUAL(kt_idle_space_find(&space, memory, n * PAGE, most), length > 0);
	CU_ASSERT_EQUAL(space.length, length * PAGE);
	if (length > 0) {
		CU_ASSERT_EQUAL(space.start, (uintptr_t)memory + first * PAGE);
	}
}

static void test_run(void)
{
	unsigned char *memory = pages(16);

	expect(memory, 16, SIZE_MAX, 8, 8); /* the last half */
	expect(memory, 16, 3 * PAGE + 1, 13, 3);
	memory[4 * PAGE + 4095] = 1; /* pages 5 to 15 are left */
	expect(memory, 16, SIZE_MAX, 11, 5);
	memory[12 * PAGE] = 1; /* 5 to 11 */
	expect(memory, 16, SIZE_MAX, 9, 3);
	memory[8 * PAGE] = 1; /* 0 to 3 */
	expect(memory, 16, SIZE_MAX, 2, 2);
	free(memory);
}

static void test_none(void)
{
	unsigned char *memory = pages(4);

	for (size_t i = 0; i < 4; i += 2) {
		memory[i * PAGE] = 1;
	}
	expect(memory, 4, SIZE_MAX, 0, 0); /* half of one page is none */
	expect(memory, 0, SIZE_MAX, 0, 0);
	free(memory);
}

/* Of runs of the same length, the last. */
static void test_last(void)
{
	unsigned char *memory = pages(9);

	memory[4 * PAGE] = 1;
	expect(memory, 9, SIZE_MAX, 7, 2);
	free(memory);
}

/* The two parts are within the space, and apart. */
static void test_split(void)
{
	struct kt_idle_space space = {.start = 0x10000, .length = 9 * PAGE};
	struct kt_idle_space part;

	CU_ASSERT(kt_idle_space_split(&space, &part, 3 * PAGE + 1));
	CU_ASSERT(space.start == 0x10000 && space.length == 6 * PAGE);
	CU_ASSERT(part.start == 0x10000 + 6 * PAGE && part.length == 3 * PAGE);
	CU_ASSERT(kt_idle_space_split(&space, &part, SIZE_MAX));
	CU_ASSERT(space.length == 3 * PAGE && part.start == 0x10000 + 3 * PAGE);
	CU_ASSERT(kt_idle_space_split(&space, &part, SIZE_MAX));
	CU_ASSERT(space.length == 2 * PAGE && part.length == PAGE);
	space.length = PAGE;
	CU_ASSERT(!kt_idle_space_split(&space, &part, SIZE_MAX) && space.length == PAGE);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"longest run", test_run},
		{"no run", test_none},
		{"runs of the same length", test_last},
		{"commands and semaphores in one mapping", test_split},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("raw-idle-space", tests);
}
