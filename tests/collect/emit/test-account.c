/* SPDX-License-Identifier: MIT */
#include "collect/preload/emit/account.h"
#include "tests/suite.h"

#define MS     1000000ull
#define SECOND 1000000000ull

/*
 * Emits an event that takes `took` nanoseconds. Returns how long the account counts the
 * program as blocked.
 */
static uint64_t hand_over(struct kt_account *account, uint64_t *now, uint64_t took)
{
	uint64_t before = *now;

	*now += took;
	return kt_account_sent(account, before, *now);
}

static void test_ordinary(void)
{
	struct kt_account account;
	uint64_t now = SECOND;

	kt_account_open(&account, 5 * SECOND);
	for (int i = 0; i < 100000; i++) {
		CU_ASSERT_TRUE(kt_account_may_send(&account, now));
		CU_ASSERT_EQUAL(hand_over(&account, &now, 1 * MS), 0);
	}
	CU_ASSERT_EQUAL(account.held, 0);
}

static void test_gives_up(void)
{
	struct kt_account account;
	uint64_t now = SECOND;
	uint64_t held = 0;
	int events = 0;

	kt_account_open(&account, 5 * SECOND);
	while (kt_account_may_send(&account, now) && events < 1000) {
		held += hand_over(&account, &now, 100 * MS);
		events++;
	}
	CU_ASSERT_TRUE(account.gave_up);
	CU_ASSERT_TRUE(held >= 5 * SECOND);
	CU_ASSERT_TRUE(held < 5 * SECOND + SECOND / 5);
}

static void test_probes(void)
{
	static const uint64_t pauses[] = {1, 2, 4, 8, 16, 16, 16};
	struct kt_account account;
	uint64_t now = SECOND;

	kt_account_open(&account, 0);
	hand_over(&account, &now, 100 * MS);
	for (size_t i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++) {
		CU_ASSERT_FALSE(kt_account_may_send(&account, now));
		CU_ASSERT_FALSE(
			kt_account_may_send(&account, now + pauses[i] * SECOND - 1));
		now += pauses[i] * SECOND;
		CU_ASSERT_TRUE(kt_account_may_send(&account, now));
		hand_over(&account, &now, 100 * MS);
	}
}

static void test_recovers(void)
{
	struct kt_account account;
	uint64_t now = SECOND;

	kt_account_open(&account, 0);
	hand_over(&account, &now, 100 * MS);
	now += SECOND;
	hand_over(&account, &now, 1 * MS); /* a probe that succeeds */
	CU_ASSERT_FALSE(account.gave_up);
	/* If the buffer is full again at once, the next pause is longer. */
	hand_over(&account, &now, 100 * MS);
	CU_ASSERT_TRUE(account.gave_up);
	CU_ASSERT_FALSE(kt_account_may_send(&account, now + SECOND));
	CU_ASSERT_TRUE(kt_account_may_send(&account, now + 2 * SECOND));
	/*
	 * After a long time without a full buffer, the pause is as short as the first one.
	 */
	now += 2 * SECOND;
	hand_over(&account, &now, 1 * MS);
	now += 100 * SECOND;
	hand_over(&account, &now, 2000 * MS);
	CU_ASSERT_TRUE(kt_account_may_send(&account, now + SECOND));
}

static void test_refills(void)
{
	struct kt_account account;
	uint64_t now = SECOND;

	kt_account_open(&account, SECOND);
	hand_over(&account, &now, 900 * MS);
	now += 50 * SECOND; /* 1/100 of the time, 0.5 s, returns to the account */
	hand_over(&account, &now, 400 * MS);
	CU_ASSERT_FALSE(account.gave_up);
	hand_over(&account, &now, 300 * MS);
	CU_ASSERT_TRUE(account.gave_up);
}

static void test_lossless(void)
{
	struct kt_account account;
	uint64_t now = SECOND;

	kt_account_open(&account, UINT64_MAX);
	for (int i = 0; i < 1000; i++) {
		CU_ASSERT_TRUE(kt_account_may_send(&account, now));
		CU_ASSERT_EQUAL(hand_over(&account, &now, SECOND), SECOND);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"events without a wait", test_ordinary},
		{"gives up when the account is empty", test_gives_up},
		{"probes after 1, 2, 4, 8, 16, 16 s", test_probes},
		{"continues when buffers have drained", test_recovers},
		{"refills with time", test_refills},
		{"lossless never gives up", test_lossless},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("account", tests);
}
