/* SPDX-License-Identifier: MIT */
/*
 * Code is written wherever it lies, also over the end of a page; threads that trapped in a
 * patch continue after it was removed.
 */
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

static bool traps_at(uintptr_t at)
{
	siginfo_t info = {.si_signo = SIGTRAP, .si_code = 0x80};
	ucontext_t context = {.uc_flags = 0};

	context.uc_mcontext.gregs[REG_RIP] = (greg_t)at + 1;
	return kt_patch_trap(&info, &context) &&
	       (uintptr_t)context.uc_mcontext.gregs[REG_RIP] == at;
}

/*
 * A thread traps in the jump of a patch, and before it is handled, the patch is removed for
 * the jump of another instruction. The thread continues in the original code, where that
 * is.
 */
static void test_uncovered(void)
{
	uint8_t *page =
		mmap(NULL, KT_PAGE, CODE | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kt_patch_site *s;
	uintptr_t site = (uintptr_t)page + 67;
	uint32_t number;

	CU_ASSERT_NOT_EQUAL_FATAL(page, MAP_FAILED);
	memset(page, 0x90, KT_PAGE);
	s = kt_patch_site_new(site, site, &number);
	s->trampoline = (struct kt_trampoline){
		.replaced = 5, .starts = 5, .n_inner = 1, .jump = {0xe9, 1, 0xcc, 3, 4}};
	s->trampoline.entry = site;
	s->trampoline.inner[0] = (struct kt_inner){.offset = 2, .copy = site + 2};
	memcpy(s->before, page + 67, KT_JUMP_BYTES);
	atomic_store(&s->state, KT_PATCH_IN);
	CU_ASSERT_TRUE(kt_patch_may_sync_cores());
	CU_ASSERT_TRUE(kt_patch_replace_code(s, s->trampoline.jump));
	CU_ASSERT_TRUE(traps_at(site) && traps_at(site + 2));
	CU_ASSERT_TRUE(kt_patch_uncover(site - 3));
	CU_ASSERT_TRUE(traps_at(site) && traps_at(site + 2));
	CU_ASSERT_FALSE(traps_at(site + 1));
	/* Other code is there now, or an int3 of the program. */
	CU_ASSERT_TRUE(kt_patch_write_code(site + 1, "\x91", 1));
	CU_ASSERT_TRUE(!traps_at(site) && traps_at(site + 2));
	CU_ASSERT_TRUE(kt_patch_write_code(site + 2, "\xcc", 1));
	CU_ASSERT_FALSE(traps_at(site + 2));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"code over the end of a page", test_write_code},
		{"a patch that another covers", test_uncovered},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("patch sites", tests);
}
