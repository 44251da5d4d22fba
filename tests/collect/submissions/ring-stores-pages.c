/* SPDX-License-Identifier: MIT */
/*
 * While pages are open for a window, a single-step or a system call, their contents are
 * unknown.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "collect/preload/mappings/pages.h"
#include "collect/preload/mappings/steps.h"
#include "collect/preload/process/memory.h"
#include "tests/collect/submissions/ring-stores-rig.h"
#include "tests/suite.h"

void forgets_what_lies_open(void)
{
	struct kt_mapping *m = set_up(KT_WATCH_ALL);
	uintptr_t start = (uintptr_t)program;
	struct kt_held held;

	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	/* A window for reading leaves all values known. */
	CU_ASSERT_TRUE(kt_pages_open_window(m, start, PAGE, false));
	CU_ASSERT_EQUAL(count_known(), ALL);
	kt_pages_close_windows();
	know_all();
	/* In a window for writing, 4 entries are unknown. */
	CU_ASSERT_TRUE(kt_pages_open_window(m, start, PAGE, true));
	CU_ASSERT_EQUAL(count_known(), ALL - 4);
	know_all(); /* values stay unknown: other threads can write here */
	CU_ASSERT_EQUAL(count_known(), ALL - 4);
	kt_pages_close_windows();
	CU_ASSERT_EQUAL(count_known(), ALL - 4);
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	CU_ASSERT_TRUE(kt_pages_open_one(m, start + 4 * PAGE)); /* for one instruction */
	CU_ASSERT_EQUAL(count_known(), ALL - 300);
	kt_ring_learn_put(copies[0], 7);
	kt_pages_close_one(start + 4 * PAGE);
	CU_ASSERT_EQUAL(count_known(), ALL - 300);
	kt_ring_learn_put(copies[0], 8);
	CU_ASSERT_EQUAL(put(0), 8);
	held = kt_pages_hold(start, 1); /* a system call holds the whole mapping open */
	kt_ring_learn_put(copies[0], 9);
	know_all();
	CU_ASSERT_EQUAL(count_known(), 0);
	kt_pages_release(held);
	CU_ASSERT_EQUAL(count_known(), 0);
	know_all();
	mprotect(program, PAGE, PROT_READ | PROT_WRITE); /* stands for the program's call */
	kt_pages_protected(start, PAGE, PROT_READ | PROT_WRITE);
	CU_ASSERT_EQUAL(count_known(), ALL - 4);
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL); /* the mapping is split, but all is known */
	tear_down();
}

/*
 * Another thread executes an instruction with the page open, while this thread's stores are
 * observed: the values must stay unknown.
 */
void knows_nothing_beside_a_step(void)
{
	struct kt_mapping *m = set_up(KT_WATCH_ALL);
	ucontext_t context = {.uc_flags = 0};

	know_all();
	CU_ASSERT_TRUE(kt_step_begin(m, (uintptr_t)program + 4 * PAGE, &context));
	CU_ASSERT_EQUAL(count_known(), ALL - 300);
	know_all();
	kt_ring_learn_put(copies[0], 7);
	CU_ASSERT_EQUAL(count_known(), ALL - 300);
	kt_step_abandon(&context);
	CU_ASSERT_EQUAL(count_known(), ALL - 300);
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	tear_down();
}

/*
 * A part of the mapping was unmapped without the recorder's knowledge, so the kernel cannot
 * close the pages. They stay open, and the values stay unknown.
 */
void knows_nothing_where_pages_stay_open(void)
{
	struct kt_mapping *m = set_up(KT_WATCH_ALL);
	uintptr_t start = (uintptr_t)program;
	struct kt_held held;

	know_all();
	held = kt_pages_hold(start, 1);
	munmap((char *)program + 3 * PAGE, PAGE);
	kt_pages_release(held);
	CU_ASSERT_EQUAL(kt_memory_protection(start + 4 * PAGE, PAGE), 3);
	know_all();
	kt_ring_learn_put(copies[0], 7);
	CU_ASSERT_EQUAL(count_known(), 0);
	map_pages(program);
	CU_ASSERT_TRUE(kt_pages_close(m));
	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	CU_ASSERT_TRUE(kt_pages_open_window(m, start + 4 * PAGE, PAGE, true));
	munmap((char *)program + 4 * PAGE, PAGE);
	mmap((char *)program + 4 * PAGE, PAGE, PROT_READ | PROT_WRITE,
	     MAP_SHARED | MAP_FIXED, file, 4 * PAGE);
	kt_mapping_cut(start + 7 * PAGE, PAGE); /* the cut mapping forgets its windows */
	kt_rings_settle();
	kt_pages_close_windows();
	CU_ASSERT_EQUAL(kt_memory_protection(start + 4 * PAGE, PAGE), 3);
	know_all();
	CU_ASSERT_EQUAL(count_known(), 0);
	tear_down();
}

void closes_their_pages_alone(void)
{
	const int expected[PAGES] = {PROT_READ, PROT_READ, 3, 3, PROT_READ, 3, 3, 3};
	struct kt_mapping *m = set_up(KT_WATCH_RINGS);
	uintptr_t start = (uintptr_t)program;

	know_all();
	CU_ASSERT_EQUAL(count_known(), ALL);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < PAGES; i++) {
			CU_ASSERT_EQUAL(kt_memory_protection(start + i * PAGE, PAGE),
					expected[i]);
		}
		kt_pages_release(kt_pages_hold(start, 1));
	}
	CU_ASSERT_EQUAL(count_known(), 0);
	kt_pages_open_one(m, start + PAGE);
	kt_pages_open_one(m, start + 2 * PAGE);
	CU_ASSERT_EQUAL(kt_memory_protection(start + PAGE, PAGE), 3);
	kt_pages_close_one(start + PAGE);
	kt_pages_close_one(start + 2 * PAGE);
	CU_ASSERT_EQUAL(kt_memory_protection(start + PAGE, PAGE), PROT_READ);
	CU_ASSERT_EQUAL(kt_memory_protection(start + 2 * PAGE, PAGE), 3);
	tear_down();
}

/* A system call began to use the mapping before the mapping contained a channel. */
void waits_for_system_calls(void)
{
	struct kt_mapping *m = set_up(KT_WATCH_ALL);
	uintptr_t start = (uintptr_t)program;
	struct kt_held first;
	struct kt_held second;

	m->watch = KT_WATCH_NOTHING;
	kt_pages_open(m);
	first = kt_pages_hold(start, 1);
	m->watch = KT_WATCH_RINGS;
	CU_ASSERT_TRUE(kt_pages_close(m));
	CU_ASSERT_EQUAL(kt_memory_protection(start, PAGE), 3);
	second = kt_pages_hold(start, 1);
	kt_pages_release(first);
	CU_ASSERT_EQUAL(kt_memory_protection(start, PAGE), 3);
	know_all();
	CU_ASSERT_EQUAL(count_known(), 0);
	kt_pages_release(second);
	CU_ASSERT_EQUAL(kt_memory_protection(start, PAGE), PROT_READ);
	tear_down();
}
