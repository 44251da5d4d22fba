/* SPDX-License-Identifier: MIT */
/* Translation of GPU addresses to memory. */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/submissions/gpu-memory.h"
#include "tests/suite.h"

#define CLIENT 1u
#define PAGE   4096u
#define PAGES  4u

static uint32_t *map_pages(void)
{
	uint32_t *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (uint32_t i = 0; i < PAGES * PAGE / 4; i++) {
		pages[i] = i;
	}
	return pages;
}

/* Adds a mapping in the given space. The mapping begins at `offset` in the object. */
static uint32_t *add(uint32_t object, uint64_t offset, const char *space)
{
	uint32_t *pages = map_pages();
	const struct kt_mapping mapping = {
		.start = (uintptr_t)pages,
		.base = (uintptr_t)pages,
		.length = PAGES * PAGE,
		.memory = {.client = CLIENT, .object = object, .offset = offset},
		.static_space = space,
		.protection = PROT_READ | PROT_WRITE,
	};

	CU_ASSERT_PTR_NOT_NULL_FATAL(kt_mapping_add(&mapping));
	return pages;
}

static void take_away(const void *pages)
{
	kt_mapping_cut((uintptr_t)pages, PAGES * PAGE);
	munmap((void *)(uintptr_t)pages, PAGES * PAGE);
}

static uint32_t word_at(uint64_t address)
{
	const char *why = "";
	uint32_t word = UINT32_MAX;

	return kt_gpu_read(&word, address, 4, &why) == 4 ? word : UINT32_MAX;
}

static const char *reason(uint64_t address)
{
	const char *why = "";

	CU_ASSERT_EQUAL(kt_gpu_reach(address, 4, &why), 0);
	return why;
}

static void finds_equal_addresses(void)
{
	const uint32_t *pages = add(10, 0, "sys");
	const char *why = "";

	CU_ASSERT_EQUAL(word_at((uintptr_t)pages), 0);
	CU_ASSERT_EQUAL(word_at((uintptr_t)&pages[1234]), 1234);
	CU_ASSERT_EQUAL(kt_gpu_reach((uintptr_t)pages, PAGES * PAGE + 8, &why),
			PAGES * PAGE);
	CU_ASSERT_STRING_EQUAL(why, "no CPU mapping of that address");
	take_away(pages);
	CU_ASSERT_STRING_EQUAL(reason((uintptr_t)pages), "no CPU mapping of that address");
}

static void finds_what_ioctls_have_mapped(void)
{
	const uint32_t *pages = add(11, PAGE, "sys");
	const struct kt_gpu_range range = {.address = 0x20000000,
					   .length = 2 * PAGE,
					   .client = CLIENT,
					   .object = 11,
					   .offset = 2 * PAGE};
	struct kt_gpu_range newer = range;
	const char *why = "";

	CU_ASSERT_EQUAL(word_at(range.address), UINT32_MAX);
	kt_gpu_map(&range);
	CU_ASSERT_EQUAL(word_at(range.address), PAGE / 4);
	CU_ASSERT_EQUAL(word_at(range.address + PAGE + 8), 2 * PAGE / 4 + 2);
	CU_ASSERT_EQUAL(kt_gpu_reach(range.address, 3 * PAGE, &why), 2 * PAGE);
	newer.offset = PAGE;
	kt_gpu_map(&newer); /* the most recent GPU mapping of an address is used */
	CU_ASSERT_EQUAL(word_at(range.address), 0);
	kt_gpu_unmap(range.address, 1);
	CU_ASSERT_EQUAL(word_at(range.address), UINT32_MAX);
	kt_gpu_map(&range);
	kt_gpu_forget_object(CLIENT, 12);
	CU_ASSERT_EQUAL(word_at(range.address), PAGE / 4);
	kt_gpu_forget_object(CLIENT, 11);
	CU_ASSERT_EQUAL(word_at(range.address), UINT32_MAX);
	newer.offset = 0; /* a part of the object without a CPU mapping */
	kt_gpu_map(&newer);
	CU_ASSERT_STRING_EQUAL(reason(range.address), "no CPU mapping of that address");
	kt_gpu_after_fork();
	take_away(pages);
}

static void reads_registered_memory(void)
{
	uint32_t *pages = map_pages();
	const struct kt_gpu_range pin = {.address = (uintptr_t)pages,
					 .length = PAGES * PAGE,
					 .client = CLIENT,
					 .object = 20};
	const struct kt_gpu_range mapped = {.address = 0x30000000,
					    .length = PAGE,
					    .client = CLIENT,
					    .object = 20,
					    .offset = PAGE};
	struct kt_mapping watched = {.start = (uintptr_t)pages + PAGE,
				     .base = (uintptr_t)pages,
				     .length = 2 * PAGE,
				     .static_space = "pin",
				     .pinned = true,
				     .protection = PROT_READ | PROT_WRITE,
				     .watch = KT_WATCH_ALL};
	static uint32_t all[PAGES * PAGE / 4];
	const char *why = "";

	kt_gpu_pin(&pin);
	kt_gpu_map(&mapped);
	CU_ASSERT_EQUAL(word_at((uintptr_t)&pages[7]), 7);
	CU_ASSERT_EQUAL(word_at(mapped.address + 4), PAGE / 4 + 1);
	/*
	 * With --pin all pages of the registered memory are closed. They must be closed
	 * again after the read.
	 */
	CU_ASSERT_TRUE_FATAL(kt_pages_close(kt_mapping_add(&watched)));
	CU_ASSERT_EQUAL(kt_gpu_read(all, pin.address, sizeof(all), &why), sizeof(all));
	for (uint32_t i = 0; i < PAGES * PAGE / 4; i++) {
		CU_ASSERT_EQUAL(all[i], i);
	}
	CU_ASSERT_EQUAL(word_at(mapped.address), PAGE / 4);
	CU_ASSERT_FALSE(
		kt_pages_let_through(kt_mapping_find(watched.start), watched.start, false));
	kt_mapping_cut(watched.start, watched.length);
	munmap(pages, PAGES * PAGE); /* the program has unmapped the registered memory */
	CU_ASSERT_EQUAL(kt_gpu_read(all, pin.address, 8, &why), 0);
	CU_ASSERT_STRING_EQUAL(why, "the memory is unmapped");
	kt_gpu_forget_object(CLIENT, 20);
	CU_ASSERT_EQUAL(word_at(mapped.address), UINT32_MAX);
}

/*
 * A system call of another thread holds the pages open and may be writing to them. Reading
 * the memory must not close them.
 */
static void leaves_held_pages_open(void)
{
	uint32_t *pages = map_pages();
	const struct kt_gpu_range pin = {.address = (uintptr_t)pages,
					 .length = PAGES * PAGE,
					 .client = CLIENT,
					 .object = 21};
	const struct kt_mapping watched = {.start = (uintptr_t)pages,
					   .base = (uintptr_t)pages,
					   .length = PAGES * PAGE,
					   .static_space = "pin",
					   .pinned = true,
					   .protection = PROT_READ | PROT_WRITE,
					   .watch = KT_WATCH_ALL};
	struct kt_held held;

	kt_gpu_pin(&pin);
	CU_ASSERT_TRUE_FATAL(kt_pages_close(kt_mapping_add(&watched)));
	held = kt_pages_hold(watched.start, watched.length);
	CU_ASSERT_EQUAL(word_at(pin.address + 28), 7);
	CU_ASSERT_EQUAL(kt_memory_protection(watched.start, watched.length),
			PROT_READ | PROT_WRITE);
	kt_pages_release(held);
	CU_ASSERT_EQUAL(kt_memory_protection(watched.start, watched.length), PROT_NONE);
	kt_gpu_forget_object(CLIENT, 21);
	take_away(pages);
}

static void leaves_registers_alone(void)
{
	const uint32_t *registers = add(30, 0, "reg");
	const uint32_t *managed = add(31, 0, "uvm");

	CU_ASSERT_STRING_EQUAL(reason((uintptr_t)registers),
			       "mapped as neither fb nor sys");
	CU_ASSERT_STRING_EQUAL(reason((uintptr_t)managed), "mapped as neither fb nor sys");
	take_away(registers);
	take_away(managed);
}

static void leaves_closed_memory_alone(void)
{
	const uint32_t *pages = add(32, 0, "sys");

	kt_mapping_find((uintptr_t)pages)->protection = PROT_NONE;
	CU_ASSERT_STRING_EQUAL(reason((uintptr_t)pages),
			       "the program has closed that memory");
	take_away(pages);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"finds equal addresses", finds_equal_addresses},
		{"finds what ioctls have mapped", finds_what_ioctls_have_mapped},
		{"reads registered memory", reads_registered_memory},
		{"leaves held pages open", leaves_held_pages_open},
		{"leaves registers alone", leaves_registers_alone},
		{"leaves closed memory alone", leaves_closed_memory_alone},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("gpu-addresses", tests);
}
