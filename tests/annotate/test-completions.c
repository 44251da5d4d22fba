/* SPDX-License-Identifier: MIT */
/*
 * Tests to which polls and calls completions are attributed: by hand, and against a slow
 * oracle.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/requests/completions.h"
#include "tests/annotate/completion-oracle.h"
#include "tests/suite.h"

/* --- by hand --- */

#define BASE UINT64_C(0x204600000)

struct hand {
	kt_completions *c;
	uint64_t seq;
};

static void open_hand(struct hand *h, bool exact)
{
	CU_ASSERT_EQUAL_FATAL(kt_completions_new(&h->c, exact), KT_OK);
	h->seq = 0;
	CU_ASSERT_EQUAL(kt_completions_map(h->c, 7, BASE, 0x1000), KT_OK);
	CU_ASSERT_EQUAL(kt_completions_map(h->c, 8, 0x7000000, 0x1000), KT_OK);
}

static void submit(struct hand *h, uint64_t channel, uint64_t offset, uint64_t payload)
{
	const struct kt_semaphore_value value = {BASE + offset, payload};
	const struct kt_submitted_request request = {
		.seq = ++h->seq, .channel = channel, .releases = &value, .n_releases = 1};

	CU_ASSERT_EQUAL(kt_completions_submit(h->c, &request), KT_OK);
}

static void read_at(struct hand *h, uint32_t tid, uint64_t offset, uint64_t limit)
{
	const struct kt_watched_read read = {
		.mapping = 7,
		.offset = offset,
		.size = 4,
		.limit = limit,
		.poll = {.seq = ++h->seq, .time = 10 * h->seq, .tid = tid}};

	CU_ASSERT_EQUAL(kt_completions_read(h->c, &read), KT_OK);
}

static void test_poll(void)
{
	const struct kt_completion *own;
	struct hand h;

	open_hand(&h, false);
	read_at(&h, 1, 0xff0, UINT64_MAX); /* before the submission: not a poll */
	submit(&h, 1, 0xff0, 5);
	read_at(&h, 1, 0xff0, UINT64_MAX);
	read_at(&h, 1, 0xff0, UINT64_MAX);
	kt_completions_act(h.c, 1);
	read_at(&h, 1, 0xff0, UINT64_MAX);
	kt_completions_settle(h.c);
	own = kt_completions_at(h.c, 0);
	CU_ASSERT_EQUAL(own->tie, KT_TIE_READ);
	CU_ASSERT_EQUAL(own->first.seq, 3);
	CU_ASSERT_EQUAL(own->last.seq, 4);
	CU_ASSERT_EQUAL(own->polls, 2);
	CU_ASSERT_EQUAL(own->noticed, KT_TIE_NONE);
	CU_ASSERT_FALSE(own->hidden);
	kt_completions_free(h.c);
}

static void test_ties(void)
{
	const struct kt_semaphore_value waited = {BASE + 0x100, 1};
	struct kt_submitted_request acquirer = {
		.channel = 3, .acquires = &waited, .n_acquires = 1};
	const enum kt_tie want[] = {KT_TIE_LATER, KT_TIE_READ,  KT_TIE_NONE,
				    KT_TIE_READ,  KT_TIE_ORDER, KT_TIE_ACQUIRE,
				    KT_TIE_ORDER, KT_TIE_READ};
	const struct kt_semaphore_value released = {BASE + 0x200, 1};
	struct hand h;

	open_hand(&h, false);
	submit(&h, 1, 0xff0, 0xffffffff);
	submit(&h, 2, 0xff0, 0); /* request 1: its payload is higher, because it wraps
				  * around */
	read_at(&h, 1, 0xff0, UINT64_MAX);
	submit(&h, 4, 0xff8, 9);
	/* request 3: its payload is not higher, so it implies nothing about request 2 */
	submit(&h, 5, 0xff8, 9);
	read_at(&h, 1, 0xff8, UINT64_MAX);
	submit(&h, 6, 0x300, 1);
	submit(&h, 6, 0x100, 1); /* request 5 */
	acquirer.seq = ++h.seq;  /* request 6: acquires what 5 releases */
	CU_ASSERT_EQUAL(kt_completions_submit(h.c, &acquirer), KT_OK);
	/* request 7: follows request 6 in its channel, and releases a semaphore */
	acquirer.seq = ++h.seq;
	acquirer.n_acquires = 0;
	acquirer.releases = &released;
	acquirer.n_releases = 1;
	CU_ASSERT_EQUAL(kt_completions_submit(h.c, &acquirer), KT_OK);
	read_at(&h, 1, 0x200, UINT64_MAX);
	kt_completions_settle(h.c);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		CU_ASSERT_EQUAL(kt_completions_at(h.c, i)->tie, want[i]);
	}
	CU_ASSERT_EQUAL(kt_completions_at(h.c, 4)->first.seq, 11);
	kt_completions_free(h.c);
}

static void test_notice(void)
{
	const struct kt_completion *own;
	size_t looked;
	struct hand h;

	open_hand(&h, false);
	kt_completions_enter(h.c, 1, false);
	submit(&h, 1, 0xff0, 1);
	/* Polls in a call that does not wait give no notice. */
	read_at(&h, 1, 0xff0, UINT64_MAX);
	kt_completions_return(h.c, 1, 70, 25, &looked);
	CU_ASSERT_EQUAL(looked, 1);
	submit(&h, 1, 0xff0, 2);
	kt_completions_enter(h.c, 1, true);
	/* Polls in a call that waits for an event recorded after the first request. */
	read_at(&h, 1, 0xff0, 1);
	kt_completions_sleep(h.c, 1, 500);
	kt_completions_sleep(h.c, 1, 40);
	read_at(&h, 1, 0xff0, 1);
	kt_completions_done(h.c, 1);
	kt_completions_return(h.c, 1, 71, 60, &looked);
	kt_completions_enter(h.c, 1, true);
	kt_completions_sleep(h.c, 1, 3);
	kt_completions_done(h.c, 1);
	kt_completions_return(h.c, 1, 72, 61, &looked);
	CU_ASSERT_EQUAL(looked, 0);
	kt_completions_settle(h.c);
	own = kt_completions_at(h.c, 0);
	CU_ASSERT_EQUAL(own->first.seq, 2);
	CU_ASSERT_EQUAL(own->last.seq, 2);
	CU_ASSERT_EQUAL(own->noticed, KT_TIE_READ);
	CU_ASSERT_EQUAL(own->notice.seq, 5);
	CU_ASSERT_EQUAL(own->notice_call, 71);
	CU_ASSERT_EQUAL(own->returned, 60);
	CU_ASSERT_EQUAL(own->notice_polls, 2);
	CU_ASSERT_EQUAL(own->notice_slept, 540);
	own = kt_completions_at(h.c, 1);
	CU_ASSERT_EQUAL(own->tie, KT_TIE_NONE);
	CU_ASSERT_TRUE(own->hidden);
	CU_ASSERT_EQUAL(own->run.seq, 4);
	CU_ASSERT_FALSE(own->hidden_wait); /* the second call waited only for the event */
	CU_ASSERT_EQUAL(kt_completions_sleeps(h.c, &h.seq), 3);
	CU_ASSERT_EQUAL(h.seq, 1);
	kt_completions_free(h.c);
}

static void test_exact(void)
{
	struct hand h;

	open_hand(&h, true);
	submit(&h, 1, 0xff0, 1);
	read_at(&h, 1, 0xff8, UINT64_MAX);
	kt_completions_settle(h.c);
	CU_ASSERT_EQUAL(kt_completions_at(h.c, 0)->tie, KT_TIE_NONE);
	CU_ASSERT_FALSE(kt_completions_at(h.c, 0)->hidden);
	kt_completions_free(h.c);
}

static void test_gap(void)
{
	size_t looked;
	struct hand h;

	open_hand(&h, false);
	submit(&h, 1, 0xff0, 1);
	kt_completions_enter(h.c, 1, true);
	read_at(&h, 1, 0xff0, UINT64_MAX);
	kt_completions_gap(h.c);
	kt_completions_done(h.c, 1);
	kt_completions_return(h.c, 1, 71, 60, &looked);
	kt_completions_settle(h.c);
	CU_ASSERT_EQUAL(kt_completions_at(h.c, 0)->tie, KT_TIE_READ);
	CU_ASSERT_EQUAL(kt_completions_at(h.c, 0)->noticed, KT_TIE_NONE);
	kt_completions_free(h.c);
}

/* --- against the oracle --- */

/*
 * The cost of a release does not grow with the mappings; otherwise this would take minutes.
 */
static void test_many_mappings(void)
{
	enum { MANY = 100000 };
	struct hand h;

	open_hand(&h, false);
	for (uint32_t i = 0; i < MANY; i++) {
		CU_ASSERT_EQUAL(kt_completions_map(h.c, 9 + i,
						   0x300000000 + (uint64_t)i * 0x10000,
						   0x10000),
				KT_OK);
	}
	for (uint64_t i = 0; i < MANY; i++) {
		submit(&h, 1, 0xff0, 1 + i);
	}
	read_at(&h, 1, 0, UINT64_MAX);
	kt_completions_settle(h.c);
	CU_ASSERT(kt_completions_at(h.c, 0)->hidden);
	CU_ASSERT(kt_completions_at(h.c, MANY - 1)->hidden);
	kt_completions_free(h.c);
}

/* Polls for an old event while requests are added take seconds, not minutes. */
static void test_old_limit(void)
{
	enum { MANY = 200000 };
	struct hand h;

	open_hand(&h, false);
	submit(&h, 1, 0xff0, 1);
	for (uint64_t i = 1; i < MANY; i++) {
		submit(&h, 1, 0xff0, 1 + i);
		read_at(&h, 1, 0xff0, 1);
	}
	kt_completions_settle(h.c);
	CU_ASSERT_EQUAL(kt_completions_at(h.c, 0)->polls, MANY - 1);
	CU_ASSERT_EQUAL(kt_completions_at(h.c, 1)->tie, KT_TIE_NONE);
	kt_completions_free(h.c);
}

static void test_random(void)
{
	for (unsigned seed = 1; seed <= 3000; seed++) {
		struct kt_oracle_story story;
		bool same;

		kt_oracle_story_make(&story, seed);
		same = kt_oracle_agrees(&story);
		CU_ASSERT_TRUE(same);
		if (!same) {
			printf("seed %u\n", seed);
			return;
		}
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"a poll after a doorbell", test_poll},
		{"later, in order, acquired", test_ties},
		{"calls that notice", test_notice},
		{"every access is there", test_exact},
		{"events are missing", test_gap},
		{"many mappings", test_many_mappings},
		{"an old event", test_old_limit},
		{"random stories", test_random},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("completions", tests);
}
