/* SPDX-License-Identifier: MIT */
/*
 * Compares the ends of functions with the results of libgcc's search through all unwind
 * tables, at several thousand addresses in all libraries of this process.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/instructions/trampoline.h"
#include "tests/suite.h"

/* Matches libgcc, which installs no header for this struct. */
struct bases {
	void *text;
	void *data;
	void *function;
};
extern const void *_Unwind_Find_FDE(void *pc, struct bases *bases);

static unsigned known;
static unsigned unknown;
static unsigned outside;

static void check_at(uintptr_t ip)
{
	struct bases bases;
	const uint8_t *entry = _Unwind_Find_FDE((void *)ip, &bases);
	uintptr_t start;
	uintptr_t end;
	bool found = kt_function_bounds(ip, &start, &end);
	uint32_t length;

	CU_ASSERT(found == (end != 0));
	if (!entry) {
		CU_ASSERT(end == 0);
		outside++;
		return;
	}
	memcpy(&length, entry + 12, sizeof(length));
	if (end) {
		CU_ASSERT(start == (uintptr_t)bases.function);
		CU_ASSERT(end == start + length && start <= ip && end > ip);
		known++;
	} else {
		unknown++;
	}
}

static int check_object(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		for (uintptr_t at = 0;
		     p->p_type == PT_LOAD && p->p_flags & PF_X && at < p->p_memsz;
		     at += 61) {
			check_at(info->dlpi_addr + p->p_vaddr + at);
		}
	}
	return 0;
}

static void test_all_libraries(void)
{
	dl_iterate_phdr(check_object, NULL);
	printf("%u known, %u not, %u in no function ", known, unknown, outside);
	CU_ASSERT(known > 1000 && outside > 0);
	CU_ASSERT(unknown < known / 20);
}

static void test_own_function(void)
{
	uintptr_t own = (uintptr_t)test_all_libraries;
	uintptr_t start;
	uintptr_t end;
	uintptr_t again;

	CU_ASSERT(kt_function_bounds(own, &start, &end) && start == own && end > own);
	CU_ASSERT(kt_function_bounds(end - 1, &start, &again) && start == own);
	CU_ASSERT(again == end);
	CU_ASSERT(!kt_function_bounds(end, &start, &again) || start >= end);
}

static void test_nowhere(void)
{
	uintptr_t start;
	uintptr_t end;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	CU_ASSERT(!kt_function_bounds((uintptr_t)page, &start, &end));
	CU_ASSERT(!kt_function_bounds(0, &start, &end));
	CU_ASSERT(!kt_function_bounds(UINTPTR_MAX, &start, &end));
	CU_ASSERT(start == 0 && end == 0);
	munmap(page, 4096);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"all libraries of this process", test_all_libraries},
		{"a function of this program", test_own_function},
		{"nowhere", test_nowhere},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("function-bounds", tests);
}
