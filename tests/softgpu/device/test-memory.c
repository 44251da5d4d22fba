/* SPDX-License-Identifier: MIT */
/* Tests physical memory and address spaces. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef RUNNING_ON_VALGRIND
#define RUNNING_ON_VALGRIND 0
#endif

#include "rig.h"
#include "tests/suite.h"

#define PAGES 64 /* pages of the address space that is compared with a table */
#define PAGE  KT_ABI_PAGE

static void test_allocations_are_apart_and_aligned(void)
{
	struct kt_gpu *gpu = NULL;
	uint64_t a = 0;
	uint64_t b = 0;

	CU_ASSERT_FATAL(kt_gpu_create(&gpu) == 0);
	CU_ASSERT(kt_gpu_memory_left(gpu, KT_GPU_DEVICE_MEMORY) == KT_GPU_DEVICE_BYTES);
	CU_ASSERT(kt_gpu_memory_left(gpu, KT_GPU_SYSTEM_MEMORY) == KT_GPU_SYSTEM_BYTES);
	CU_ASSERT(kt_gpu_memory_allocate(gpu, KT_GPU_DEVICE_MEMORY, 1, 0, &a) == 0);
	CU_ASSERT(kt_gpu_memory_allocate(gpu, KT_GPU_DEVICE_MEMORY, 5000, 0x200000, &b) ==
		  0);
	CU_ASSERT(a % PAGE == 0 && b % 0x200000 == 0);
	CU_ASSERT(a + PAGE <= b || b + 2 * PAGE <= a);
	CU_ASSERT(kt_gpu_memory_left(gpu, KT_GPU_DEVICE_MEMORY) ==
		  KT_GPU_DEVICE_BYTES - 3 * PAGE);
	kt_gpu_memory_free(gpu, a);
	kt_gpu_memory_free(gpu, a); /* no effect: not allocated */
	kt_gpu_memory_free(gpu, b + PAGE);
	CU_ASSERT(kt_gpu_memory_left(gpu, KT_GPU_DEVICE_MEMORY) ==
		  KT_GPU_DEVICE_BYTES - 2 * PAGE);
	CU_ASSERT(kt_gpu_memory_allocate(gpu, KT_GPU_DEVICE_MEMORY, 0, 0, &a) == -EINVAL);
	CU_ASSERT(kt_gpu_memory_allocate(gpu, KT_GPU_DEVICE_MEMORY, 1, 12288, &a) ==
		  -EINVAL);
	kt_gpu_free(gpu);
}

static void test_a_pool_can_be_full(void)
{
	struct kt_gpu *gpu = NULL;
	uint64_t all = 0;
	uint64_t one = 0;

	CU_ASSERT_FATAL(kt_gpu_create(&gpu) == 0);
	CU_ASSERT(kt_gpu_memory_allocate(gpu, KT_GPU_SYSTEM_MEMORY, KT_GPU_SYSTEM_BYTES + 1,
					 0, &all) == -ENOMEM);
	CU_ASSERT(kt_gpu_memory_allocate(gpu, KT_GPU_SYSTEM_MEMORY, UINT64_MAX, 0, &all) ==
		  -ENOMEM);
	CU_ASSERT(kt_gpu_memory_allocate(gpu, KT_GPU_SYSTEM_MEMORY, KT_GPU_SYSTEM_BYTES, 0,
					 &all) == 0);
	CU_ASSERT(kt_gpu_memory_left(gpu, KT_GPU_SYSTEM_MEMORY) == 0);
	CU_ASSERT(kt_gpu_memory_allocate(gpu, KT_GPU_SYSTEM_MEMORY, 1, 0, &one) == -ENOMEM);
	kt_gpu_memory_free(gpu, all);
	CU_ASSERT(kt_gpu_memory_allocate(gpu, KT_GPU_SYSTEM_MEMORY, 1, 0, &one) == 0);
	kt_gpu_free(gpu);
}

static uint8_t *map(const struct kt_gpu *gpu, uint64_t physical, uint64_t bytes,
		    int protection)
{
	long at = kt_gpu_map(gpu, physical, 0, bytes, protection, MAP_SHARED);

	return at < 0 && at > -4096 ? NULL : (uint8_t *)(uintptr_t)at;
}

static void test_freed_memory_is_zero_again(void)
{
	struct kt_gpu *gpu = NULL;
	uint64_t at = 0;
	uint64_t again = 0;
	uint8_t *view = NULL;
	uint8_t *other = NULL;
	bool zero = true;

	CU_ASSERT_FATAL(kt_gpu_create(&gpu) == 0);
	CU_ASSERT(kt_gpu_memory_allocate(gpu, KT_GPU_SYSTEM_MEMORY, KT_GPU_SYSTEM_BYTES, 0,
					 &at) == 0);
	view = kt_gpu_memory_at(gpu, at, 4 * PAGE);
	CU_ASSERT_FATAL(view != NULL);
	/* Another mapping of the arena shows the same memory. */
	other = map(gpu, at, 4 * PAGE, PROT_READ);
	CU_ASSERT_FATAL(other != NULL);
	memset(view, 0xa5, 4 * PAGE);
	CU_ASSERT(other[3 * PAGE] == 0xa5);
	kt_gpu_memory_free(gpu, at);
	CU_ASSERT(kt_gpu_memory_allocate(gpu, KT_GPU_SYSTEM_MEMORY, KT_GPU_SYSTEM_BYTES, 0,
					 &again) == 0);
	CU_ASSERT(again == at);
	for (size_t i = 0; i < 4 * PAGE; i++) {
		zero = zero && view[i] == 0;
	}
	CU_ASSERT(zero);
	munmap(other, 4 * PAGE);
	kt_gpu_free(gpu);
}

static void test_views_end_with_the_arena(void)
{
	struct kt_gpu *gpu = NULL;

	CU_ASSERT_FATAL(kt_gpu_create(&gpu) == 0);
	CU_ASSERT(kt_gpu_memory_at(gpu, kt_gpu_usermode_page(gpu), KT_ABI_USERMODE_BYTES) !=
		  NULL);
	CU_ASSERT(kt_gpu_memory_at(gpu, kt_gpu_transfer_page(gpu), KT_ABI_TRANSFER_BYTES) !=
		  NULL);
	CU_ASSERT(kt_gpu_memory_at(gpu, UINT64_MAX, 2) == NULL);
	CU_ASSERT(kt_gpu_memory_at(gpu, 0, UINT64_MAX) == NULL);
	CU_ASSERT(kt_gpu_memory_at(gpu, KT_GPU_ARENA_BYTES - 1, 2) == NULL);
	kt_gpu_free(gpu);
}

/* --- address spaces --- */

static void test_what_cannot_be_mapped(void)
{
	struct rig rig;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	CU_ASSERT(kt_gpu_space_map(rig.space, RIG_DATA, PAGE, 0) == -EEXIST);
	CU_ASSERT(kt_gpu_space_map(rig.space, RIG_DATA - PAGE, 2 * PAGE, 0) == -EEXIST);
	CU_ASSERT(kt_gpu_space_map(rig.space, 0, 0, 0) == -EINVAL);
	CU_ASSERT(kt_gpu_space_map(rig.space, 1, PAGE, 0) == -EINVAL);
	CU_ASSERT(kt_gpu_space_map(rig.space, 0, PAGE, KT_GPU_ARENA_BYTES) == -EINVAL);
	CU_ASSERT(kt_gpu_space_map(rig.space, KT_GPU_ADDRESS_END, PAGE, 0) == -EINVAL);
	CU_ASSERT(kt_gpu_space_map(rig.space, UINT64_MAX - PAGE + 1, PAGE, 0) == -EINVAL);
	CU_ASSERT(kt_gpu_space_map(rig.space, KT_GPU_ADDRESS_END - PAGE, PAGE, 0) == 0);
	rig_close(&rig);
}

static void test_a_hole_is_reported(void)
{
	struct rig rig;
	uint8_t bytes[2 * PAGE];
	uint64_t bad = 0;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	kt_gpu_space_unmap(rig.space, RIG_DATA + PAGE, PAGE);
	CU_ASSERT(kt_gpu_space_read(rig.space, RIG_DATA, bytes, PAGE, &bad) == 0);
	CU_ASSERT(kt_gpu_space_read(rig.space, RIG_DATA + 100, bytes, PAGE, &bad) ==
		  -EFAULT);
	CU_ASSERT(bad == RIG_DATA + PAGE);
	CU_ASSERT(kt_gpu_space_write(rig.space, RIG_DATA + 2 * PAGE - 1, bytes, 1, NULL) ==
		  -EFAULT);
	CU_ASSERT(kt_gpu_space_write(rig.space, RIG_DATA + 2 * PAGE, "x", 1, NULL) == 0);
	CU_ASSERT(*(char *)rig_at(&rig, RIG_DATA + 2 * PAGE) == 'x');
	rig_close(&rig);
}

/* After random maps and unmaps, the address space agrees with a table of its pages. */
static void test_spaces_are_as_a_table(void)
{
	struct rig rig;
	int64_t table[PAGES];
	uint32_t state = 1;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	for (size_t i = 0; i < PAGES; i++) {
		table[i] = -1;
	}
	for (int round = 0; round < 4000; round++) {
		uint64_t first = rig_random(&state) % PAGES;
		uint64_t n = 1 + rig_random(&state) % (PAGES - first);
		uint64_t physical = rig_random(&state) % 1000;
		bool is_free = true;
		bool same = true;

		n = n > 8 ? n % 8 + 1 : n;
		for (uint64_t i = first; i < first + n; i++) {
			is_free = is_free && table[i] < 0;
		}
		if (rig_random(&state) % 3) {
			int error = kt_gpu_space_map(rig.space, first * PAGE, n * PAGE,
						     physical * PAGE);

			CU_ASSERT(error == (is_free ? 0 : -EEXIST));
		} else {
			kt_gpu_space_unmap(rig.space, first * PAGE, n * PAGE);
			is_free = true;
			physical = UINT64_MAX / 2;
		}
		for (uint64_t i = first; is_free && i < first + n; i++) {
			table[i] = physical < 2000 ? (int64_t)(physical + i - first) : -1;
		}
		for (uint64_t i = 0; i < PAGES; i++) {
			struct kt_gpu_span span;
			bool there = kt_gpu_translate(rig.space, i * PAGE + 5, &span);
			uint8_t *expected =
				there ? kt_gpu_memory_at(rig.gpu,
							 (uint64_t)table[i] * PAGE + 5, 1)
				      : NULL;

			same = same && there == (table[i] >= 0) &&
			       (!there || span.at == expected);
		}
		CU_ASSERT(same);
	}
	rig_close(&rig);
}

static void test_user_memory_is_reached_through_protection(void)
{
	struct rig rig;
	uint8_t *user = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char bytes[6] = "";

	CU_ASSERT_FATAL(user != MAP_FAILED && rig_open(&rig, true));
	memcpy(user + PAGE - 3, "hello", 6);
	CU_ASSERT(kt_gpu_space_map_user(rig.space, 0x10000, 2 * PAGE, (uintptr_t)user) ==
		  0);
	CU_ASSERT(mprotect(user, 2 * PAGE, PROT_NONE) == 0);
	CU_ASSERT(kt_gpu_space_read(rig.space, 0x10000 + PAGE - 3, bytes, 6, NULL) == 0);
	CU_ASSERT(memcmp(bytes, "hello", 6) == 0);
	CU_ASSERT(kt_gpu_space_write(rig.space, 0x10000 + PAGE - 2, "u", 1, NULL) == 0);
	CU_ASSERT(mprotect(user, 2 * PAGE, PROT_READ) == 0);
	CU_ASSERT(memcmp(user + PAGE - 3, "hullo", 6) == 0);
	munmap(user, 2 * PAGE);
	CU_ASSERT(kt_gpu_space_read(rig.space, 0x10000, bytes, 6, NULL) == -EFAULT);
	rig_close(&rig);
}

/* The device works if /proc/self/mem cannot be opened. */
static void test_user_memory_without_proc(void)
{
	struct rig rig;
	char user[] = "hello";
	char bytes[6] = "";
	uint64_t page = (uintptr_t)user & ~(uint64_t)(PAGE - 1);
	uint64_t at = 0x10000 + ((uintptr_t)user - page);

	CU_ASSERT_FATAL(rig_open(&rig, true));
	close(rig.gpu->user_memory.fd);
	rig.gpu->user_memory.fd = -1;
	CU_ASSERT(kt_gpu_space_map_user(rig.space, 0x10000, 2 * PAGE, page) == 0);
	CU_ASSERT(kt_gpu_space_read(rig.space, at, bytes, 6, NULL) == 0);
	CU_ASSERT(memcmp(bytes, "hello", 6) == 0);
	CU_ASSERT(kt_gpu_space_write(rig.space, at, "j", 1, NULL) == 0);
	CU_ASSERT(user[0] == 'j');
	rig_close(&rig);
}

/* Gives a file of the program the numbers of two of the device's descriptors. */
static int take_descriptors(const struct rig *rig, char fill[4 * PAGE])
{
	char name[] = "/tmp/ktail-test-XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	memset(fill, 'x', 4 * PAGE);
	CU_ASSERT_FATAL(write(fd, fill, 4 * PAGE) == 4 * PAGE);
	CU_ASSERT_FATAL(dup2(fd, rig->gpu->arena.fd) >= 0);
	CU_ASSERT_FATAL(dup2(fd, rig->gpu->user_memory.fd) >= 0);
	return fd;
}

static void test_descriptors_that_are_not_ours_any_more(void)
{
	struct rig rig;
	uint8_t *user = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *view = NULL;
	uint64_t at = 0;
	char fill[4 * PAGE];
	char now[4 * PAGE];
	char word[6] = "";
	int arena = -1;
	int fd = -1;

	if (RUNNING_ON_VALGRIND) {
		return; /* Valgrind rejects an mremap that keeps the old mapping */
	}
	CU_ASSERT_FATAL(user != MAP_FAILED && rig_open(&rig, true));
	arena = rig.gpu->arena.fd;
	memcpy(user, "hello", 6);
	CU_ASSERT(mprotect(user, PAGE, PROT_NONE) == 0);
	fd = take_descriptors(&rig, fill);
	CU_ASSERT(kt_gpu_memory_allocate(rig.gpu, KT_GPU_DEVICE_MEMORY, 4 * PAGE, 0, &at) ==
		  0);
	view = map(rig.gpu, at, 4 * PAGE, PROT_READ | PROT_WRITE);
	CU_ASSERT_FATAL(view != NULL);
	memset(view, 0xa5, 4 * PAGE);
	CU_ASSERT(*((uint8_t *)kt_gpu_memory_at(rig.gpu, at, 4 * PAGE) + PAGE) == 0xa5);
	kt_gpu_memory_free(rig.gpu, at);
	CU_ASSERT(view[PAGE] == 0);
	CU_ASSERT(kt_gpu_space_map_user(rig.space, 0x10000, PAGE, (uintptr_t)user) == 0);
	CU_ASSERT(kt_gpu_space_read(rig.space, 0x10000, word, 6, NULL) == 0);
	CU_ASSERT(memcmp(word, "hello", 6) == 0);
	rig_close(&rig);
	CU_ASSERT(pread(fd, now, sizeof(now), 0) == sizeof(now));
	CU_ASSERT(memcmp(now, fill, sizeof(now)) == 0);
	/* Succeeds, because the device has not closed the program's file. */
	CU_ASSERT(close(arena) == 0);
	close(fd);
	munmap(view, 4 * PAGE);
	munmap(user, PAGE);
}

/* --- the transfer page --- */

static struct kt_abi_transfer_registers *transfer_registers(struct rig *rig,
							    uint8_t **window)
{
	*window = kt_gpu_memory_at(rig->gpu, kt_gpu_transfer_page(rig->gpu),
				   KT_ABI_TRANSFER_BYTES);
	return (void *)(*window + KT_ABI_WINDOW_BYTES);
}

static void test_window_shows_and_takes(void)
{
	struct rig rig;
	uint8_t *window = NULL;
	struct kt_abi_transfer_registers *registers = NULL;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	registers = transfer_registers(&rig, &window);
	kt_gpu_transfer_space(rig.gpu, rig.space);
	rig.data[0x10000] = 1;
	rig.data[0x1ffff] = 2;
	registers->window_base = RIG_DATA + 0x10000;
	registers->window_request = 1;
	while (kt_gpu_step(rig.gpu, NULL)) {
	}
	CU_ASSERT(registers->window_done == 1);
	CU_ASSERT(window[0] == 1 && window[0xffff] == 2);

	/*
	 * A store to the window is transferred before a channel runs, and only the stored
	 * bytes are transferred.
	 */
	window[5] = 7;
	rig.data[0x10006] = 9;
	rig_bind(&rig.channels[0]);
	rig_copy(&rig.channels[0], RIG_DATA, RIG_DATA + 0x10005, 2);
	rig_submit(&rig.channels[0]);
	rig_run(&rig);
	CU_ASSERT(rig.data[0] == 7 && rig.data[1] == 9);

	/*
	 * A store is also transferred when the window moves. An unmapped page reads as
	 * zeros.
	 */
	window[0xffff] = 8;
	registers->window_base = RIG_DATA + RIG_DATA_BYTES - 0x8000;
	registers->window_request = 2;
	rig.data[RIG_DATA_BYTES - 1] = 3;
	while (kt_gpu_step(rig.gpu, NULL)) {
	}
	CU_ASSERT(registers->window_done == 2);
	CU_ASSERT(rig.data[0x1ffff] == 8);
	CU_ASSERT(window[0x7fff] == 3 && window[0x8000] == 0);
	window[0x8000] = 1;
	registers->window_base = UINT64_MAX - 3;
	registers->window_request = 3;
	while (kt_gpu_step(rig.gpu, NULL)) {
	}
	CU_ASSERT(registers->window_done == 3 && window[0] == 0);
	rig_close(&rig);
}

/* A store to the window must not reach memory that is mapped at its address afterwards. */
static void test_window_stores_stay_with_their_memory(void)
{
	struct rig rig;
	uint8_t *window = NULL;
	struct kt_abi_transfer_registers *registers = NULL;
	uint64_t at = RIG_DATA + 0x10000;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	registers = transfer_registers(&rig, &window);
	kt_gpu_transfer_space(rig.gpu, rig.space);
	registers->window_base = at;
	registers->window_request = 1;
	rig_run(&rig);
	CU_ASSERT(registers->window_done == 1);
	window[5] = 0x77;
	kt_gpu_space_unmap(rig.space, at, KT_ABI_WINDOW_BYTES);
	CU_ASSERT(rig.data[0x10005] == 0x77);
	CU_ASSERT(kt_gpu_space_map(rig.space, at, KT_ABI_WINDOW_BYTES,
				   rig.data_physical + 0x20000) == 0);
	registers->window_request = 2;
	rig_run(&rig);
	CU_ASSERT(registers->window_done == 2);
	CU_ASSERT(rig.data[0x20005] == 0 && window[5] == 0);
	rig_close(&rig);
}

static void test_mailboxes(void)
{
	struct rig rig;
	uint8_t *window = NULL;
	struct kt_abi_transfer_registers *registers = NULL;
	static const struct {
		uint64_t from;
		uint64_t to;
		uint32_t bytes;
		uint32_t error;
	} rows[KT_ABI_MAILBOXES] = {
		{RIG_DATA, RIG_DATA + 0x1000, 256, 0},
		{RIG_DATA, RIG_DATA + 0x2000, 257, KT_ABI_XID_GR_EXCEPTION},
		{RIG_DATA, RIG_DATA + RIG_DATA_BYTES, 1, KT_ABI_XID_MMU_FAULT},
		{RIG_DATA - 1, RIG_DATA, 1, KT_ABI_XID_MMU_FAULT},
	};

	CU_ASSERT_FATAL(rig_open(&rig, true));
	registers = transfer_registers(&rig, &window);
	kt_gpu_transfer_space(rig.gpu, rig.space);
	memset(rig.data, 0x5a, 300);
	for (unsigned i = 0; i < KT_ABI_MAILBOXES; i++) {
		registers->mailboxes[i].from = rows[i].from;
		registers->mailboxes[i].to = rows[i].to;
		registers->mailboxes[i].bytes = rows[i].bytes;
		registers->mailboxes[i].request = 1;
	}
	while (kt_gpu_step(rig.gpu, NULL)) {
	}
	for (unsigned i = 0; i < KT_ABI_MAILBOXES; i++) {
		CU_ASSERT(registers->mailboxes[i].done == 1);
		CU_ASSERT(registers->mailboxes[i].error == rows[i].error);
	}
	CU_ASSERT(rig.data[0x10ff] == 0x5a && rig.data[0x1100] == 0);
	CU_ASSERT(rig.data[0x2000] == 0);
	rig_close(&rig);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"allocations are apart and aligned",
		 test_allocations_are_apart_and_aligned},
		{"a place can be full", test_a_pool_can_be_full},
		{"freed memory is zero again", test_freed_memory_is_zero_again},
		{"views end with the arena", test_views_end_with_the_arena},
		{"what cannot be mapped", test_what_cannot_be_mapped},
		{"a hole is reported", test_a_hole_is_reported},
		{"spaces are as a table", test_spaces_are_as_a_table},
		{"user memory is reached through protection",
		 test_user_memory_is_reached_through_protection},
		{"user memory without /proc/self/mem", test_user_memory_without_proc},
		{"descriptors that are not ours any more",
		 test_descriptors_that_are_not_ours_any_more},
		{"the window shows and takes", test_window_shows_and_takes},
		{"window stores stay with their memory",
		 test_window_stores_stay_with_their_memory},
		{"mailboxes", test_mailboxes},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("softgpu-memory", tests);
}
