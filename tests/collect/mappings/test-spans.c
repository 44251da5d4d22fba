/* SPDX-License-Identifier: MIT */
/*
 * Spans are compared with an oracle that stores a bit for each page, and are read while
 * another thread changes them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collect/preload/mappings/spans.h"
#include "tests/suite.h"

#define PAGE  4096u
#define PAGES 128
#define BASE  0x10000000u

static bool pages[PAGES];

/*
 * Publishes the spans. Neighbours may be published as one span or as several, as the table
 * of mappings may do.
 */
static void publish(void)
{
	unsigned page = 0;

	kt_spans_begin();
	while (page < PAGES) {
		unsigned first = page;

		while (page < PAGES && pages[page] && (page == first || rand() % 4)) {
			page++;
		}
		if (page > first) {
			kt_spans_add(BASE + first * PAGE, (page - first) * PAGE);
		} else {
			page++;
		}
	}
	kt_spans_end();
}

static bool touches(unsigned from, unsigned n)
{
	return n && memchr(&pages[from], true, n);
}

static void follows_random_changes(void)
{
	srand(20260501);
	for (int round = 0; round < 5000; round++) {
		unsigned from = (unsigned)rand() % PAGES;
		unsigned n = 1 + (unsigned)rand() % (PAGES - from);

		memset(&pages[from], rand() % 2, n);
		publish();
		from = (unsigned)rand() % PAGES;
		n = 1 + (unsigned)rand() % (PAGES - from);
		CU_ASSERT_EQUAL(kt_spans_may_touch(BASE + from * PAGE, n * PAGE),
				touches(from, n));
		CU_ASSERT_EQUAL(kt_spans_may_touch(BASE + from * PAGE + 100, 1),
				pages[from]);
	}
}

static void knows_the_ends_of_memory(void)
{
	memset(pages, 0, sizeof(pages));
	publish();
	CU_ASSERT_FALSE(kt_spans_may_touch(0, UINTPTR_MAX));
	pages[3] = true;
	publish();
	CU_ASSERT_TRUE(kt_spans_may_touch(0, UINTPTR_MAX));
	CU_ASSERT_TRUE(kt_spans_may_touch(BASE, UINTPTR_MAX));
	CU_ASSERT_FALSE(kt_spans_may_touch(BASE + 4 * PAGE, UINTPTR_MAX));
	CU_ASSERT_FALSE(kt_spans_may_touch(0, BASE + 3 * PAGE));
	CU_ASSERT_TRUE(kt_spans_may_touch(0, BASE + 3 * PAGE + 1));
}

static void takes_more_than_it_keeps_apart(void)
{
	const unsigned n = 40000;
	bool all = true;

	kt_spans_begin();
	for (unsigned i = 0; i < n; i++) {
		kt_spans_add(BASE + (uintptr_t)i * 2 * PAGE, PAGE);
	}
	kt_spans_end();
	for (unsigned i = 0; i < n; i++) {
		all = all && kt_spans_may_touch(BASE + (uintptr_t)i * 2 * PAGE, 1);
	}
	CU_ASSERT_TRUE(all);
	CU_ASSERT_FALSE(kt_spans_may_touch(BASE + PAGE, 1));
	CU_ASSERT_FALSE(kt_spans_may_touch(BASE + (uintptr_t)n * 2 * PAGE, PAGE));
}

static atomic_bool stop;

/*
 * One of the spans is permanent. Changes of its neighbours must not hide it from readers.
 */
static void *change(void *unused)
{
	for (unsigned round = 0; !atomic_load(&stop); round++) {
		kt_spans_begin();
		for (unsigned i = 0; i < round % 7; i++) {
			kt_spans_add(BASE + i * 2 * PAGE, PAGE);
		}
		kt_spans_add(BASE + 100 * PAGE, PAGE);
		kt_spans_end();
	}
	return unused;
}

static void is_asked_while_it_changes(void)
{
	pthread_t thread;
	bool all = true;

	kt_spans_begin();
	kt_spans_add(BASE + 100 * PAGE, PAGE);
	kt_spans_end();
	pthread_create(&thread, NULL, change, NULL);
	for (int i = 0; i < 200000; i++) {
		all = all && kt_spans_may_touch(BASE + 100 * PAGE, 1);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	CU_ASSERT_TRUE(all);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"follows random changes", follows_random_changes},
		{"knows the ends of memory", knows_the_ends_of_memory},
		{"merges more spans than it can store", takes_more_than_it_keeps_apart},
		{"is read while it changes", is_asked_while_it_changes},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("spans", tests);
}
