/* SPDX-License-Identifier: MIT */
/*
 * Tests what ktail top counts in each second: calls that reach into the next second,
 * seconds without events, events that arrive late, submissions in two parts, calls by
 * channel.
 */
#include <stdint.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/top/rates.h"
#include "tests/suite.h"

#define MS UINT64_C(1000000)

/* The seconds that have ended. */
struct ended {
	size_t n;
	uint64_t second[8];
	uint64_t all[8][KT_RATE_COUNT];
	uint64_t first[8][KT_RATE_COUNT]; /* of the first row by name or channel; else 0 */
	size_t rows[8];
	int code; /* to be returned */
};

static int take_second(void *context, struct kt_rates *rates)
{
	struct ended *ended = context;
	struct kt_table table;

	CU_ASSERT_FATAL(ended->n < 8);
	ended->second[ended->n] = rates->now;
	memcpy(ended->all[ended->n], rates->all, sizeof(rates->all));
	if (rates->n > 0) {
		memcpy(ended->first[ended->n], rates->rows[0].n, sizeof(rates->rows[0].n));
	}
	ended->rows[ended->n++] = rates->n;
	CU_ASSERT_EQUAL(kt_rates_table(rates, &table), KT_OK);
	CU_ASSERT_EQUAL(table.n_rows, rates->n + 1);
	kt_table_free(&table);
	return ended->code;
}

static struct kt_rates make(enum kt_rates_by by, struct ended *ended)
{
	*ended = (struct ended){.n = 0};
	return (struct kt_rates){.by = by, .second = take_second, .context = ended};
}

static void event(struct kt_rates *rates, uint64_t time,
		  const struct kt_activity_call *call)
{
	const struct kt_moment moment = {.time = time, .process = "app", .call = call};

	CU_ASSERT_EQUAL(kt_rates_visitor.event(rates, &moment, NULL), KT_OK);
}

static void doorbell(struct kt_rates *rates, uint64_t time,
		     const struct kt_activity_call *call)
{
	const struct kt_moment moment = {.time = time, .process = "app", .call = call};

	event(rates, time, call);
	CU_ASSERT_EQUAL(kt_rates_visitor.doorbell(rates, &moment, NULL), KT_OK);
}

static void submission(struct kt_rates *rates, uint64_t number, uint32_t channel,
		       const struct kt_activity_call *call)
{
	const struct kt_moment moment = {.process = "app", .call = call};
	const struct kt_submission submission = {
		.number = number, .channel = channel, .doorbell_written = true};
	const struct kt_work work = {.words = 10, .launches = 1};

	CU_ASSERT_EQUAL(kt_rates_visitor.entry(rates, &moment, &submission, NULL), KT_OK);
	CU_ASSERT_EQUAL(kt_rates_visitor.submission(rates, &moment, &submission, &work),
			KT_OK);
}

static void returned(struct kt_rates *rates, struct kt_activity_call *call, uint64_t time,
		     uint64_t duration)
{
	const struct kt_moment moment = {.time = time, .process = "app", .call = call};

	event(rates, time, call);
	call->returned = true;
	call->duration = duration;
	CU_ASSERT_EQUAL(kt_rates_visitor.call_exit(rates, &moment, call), KT_OK);
}

static void end(struct kt_rates *rates)
{
	CU_ASSERT_EQUAL(kt_rates_visitor.end(rates), KT_OK);
	kt_rates_free(rates);
}

static void test_calls(void)
{
	struct kt_activity_call call = {.id = 1, .name = "cuLaunchKernel"};
	struct ended ended;
	struct kt_rates rates = make(KT_RATES_CALL, &ended);

	event(&rates, 0, &call);
	doorbell(&rates, 500 * MS, &call);
	submission(&rates, 1, 7, &call);
	CU_ASSERT_EQUAL(ended.n, 0);
	/* It returns in the next second. */
	returned(&rates, &call, 1000 * MS, 1000 * MS);
	CU_ASSERT_EQUAL_FATAL(ended.n, 1);
	CU_ASSERT_EQUAL(ended.second[0], 0);
	CU_ASSERT_EQUAL(ended.rows[0], 1);
	CU_ASSERT_EQUAL(ended.first[0][KT_RATE_EVENTS], 2);
	CU_ASSERT_EQUAL(ended.first[0][KT_RATE_CALLS], 0);
	CU_ASSERT_EQUAL(ended.first[0][KT_RATE_DOORBELLS], 1);
	CU_ASSERT_EQUAL(ended.first[0][KT_RATE_BYTES], 40);
	CU_ASSERT_EQUAL(ended.first[0][KT_RATE_LAUNCHES], 1);
	event(&rates, 1900 * MS, NULL);
	end(&rates);
	CU_ASSERT_EQUAL_FATAL(ended.n, 2);
	CU_ASSERT_EQUAL(ended.rows[1], 2);
	CU_ASSERT_EQUAL(ended.first[1][KT_RATE_EVENTS], 1);
	CU_ASSERT_EQUAL(ended.first[1][KT_RATE_CALLS], 1);
	CU_ASSERT_EQUAL(ended.first[1][KT_RATE_TIME], 1000 * MS);
	CU_ASSERT_EQUAL(ended.all[1][KT_RATE_EVENTS], 2);
	CU_ASSERT_EQUAL(ended.all[1][KT_RATE_DOORBELLS], 0);
}

static void test_channels(void)
{
	struct kt_activity_call call = {.id = 1, .name = "cuLaunchKernel"};
	struct kt_activity_call other = {.id = 2, .name = "cuMemcpy"};
	struct ended ended;
	struct kt_rates rates = make(KT_RATES_CHANNEL, &ended);

	event(&rates, 0, &call);
	submission(&rates, 1, 7, &call);
	submission(&rates, 1, 7, &call); /* its second part */
	submission(&rates, 2, 7, &call);
	submission(&rates, 3, 8, &call);
	submission(&rates, 4, 7, NULL);
	submission(&rates, 5, 7, &other);
	/* The row of `call` is no longer the last one of the channel. */
	submission(&rates, 6, 7, &call);
	returned(&rates, &call, 10 * MS, 10 * MS);
	/* `other` returns when its channel has no row any more. */
	returned(&rates, &other, 1010 * MS, 5 * MS);
	end(&rates);
	CU_ASSERT_EQUAL_FATAL(ended.n, 2);
	CU_ASSERT_EQUAL(ended.rows[0], 2);
	CU_ASSERT_EQUAL(ended.first[0][KT_RATE_EVENTS], 6);
	CU_ASSERT_EQUAL(ended.first[0][KT_RATE_DOORBELLS], 5);
	CU_ASSERT_EQUAL(ended.first[0][KT_RATE_BYTES], 240);
	CU_ASSERT_EQUAL(ended.first[0][KT_RATE_CALLS], 1);
	CU_ASSERT_EQUAL(ended.first[0][KT_RATE_TIME], 10 * MS);
	CU_ASSERT_EQUAL(ended.all[0][KT_RATE_CALLS], 1);
	CU_ASSERT_EQUAL(ended.all[0][KT_RATE_BYTES], 280);
	CU_ASSERT_EQUAL(ended.rows[1], 1);
	CU_ASSERT_EQUAL(ended.first[1][KT_RATE_CALLS], 1);
	CU_ASSERT_EQUAL(ended.first[1][KT_RATE_TIME], 5 * MS);
	CU_ASSERT_EQUAL(ended.first[1][KT_RATE_BYTES], 0);
}

static void test_seconds(void)
{
	struct ended ended;
	struct kt_rates rates = make(KT_RATES_CALL, &ended);

	event(&rates, 999 * MS, NULL);
	CU_ASSERT_EQUAL(kt_rates_pass(&rates, 999 * MS), KT_OK);
	CU_ASSERT_EQUAL(ended.n, 0);
	CU_ASSERT_EQUAL(kt_rates_pass(&rates, 1000 * MS), KT_OK);
	CU_ASSERT_EQUAL(ended.n, 1);
	/* It arrives late, and is counted now. */
	event(&rates, 998 * MS, NULL);
	/* A second without events, and many of them. */
	CU_ASSERT_EQUAL(kt_rates_pass(&rates, 2000 * MS), KT_OK);
	CU_ASSERT_EQUAL(kt_rates_pass(&rates, 3500 * MS), KT_OK);
	event(&rates, UINT64_MAX, NULL);
	end(&rates);
	CU_ASSERT_EQUAL_FATAL(ended.n, 5);
	CU_ASSERT_EQUAL(ended.all[1][KT_RATE_EVENTS], 1);
	CU_ASSERT_EQUAL(ended.second[2], 2);
	CU_ASSERT_EQUAL(ended.all[2][KT_RATE_EVENTS], 0);
	CU_ASSERT_EQUAL(ended.second[3], 3);
	CU_ASSERT_EQUAL(ended.second[4], UINT64_MAX / 1000 / MS);
	CU_ASSERT_EQUAL(ended.all[4][KT_RATE_EVENTS], 1);
}

static void test_over(void)
{
	struct ended ended;
	struct kt_rates rates = make(KT_RATES_CALL, &ended);

	/* Without an event there is no second. */
	end(&rates);
	CU_ASSERT_EQUAL(ended.n, 0);
	/* After an error none follows. */
	rates = make(KT_RATES_CALL, &ended);
	ended.code = KT_E_IO;
	event(&rates, 0, NULL);
	CU_ASSERT_EQUAL(kt_rates_pass(&rates, 1000 * MS), KT_E_IO);
	CU_ASSERT_EQUAL(kt_rates_pass(&rates, 2000 * MS), KT_OK);
	end(&rates);
	CU_ASSERT_EQUAL(ended.n, 1);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"calls", test_calls},     {"channels", test_channels},
		{"seconds", test_seconds}, {"over", test_over},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("rates", tests);
}
