/* SPDX-License-Identifier: MIT */
/* Tests with which releases reports are matched. */
#include <stdio.h>

#include <ktail/status.h>

#include "annotate/events/device-times.h"
#include "tests/suite.h"

#define BASE UINT64_C(0x204600000)

/*
 * Makes a submission at `time` that releases the semaphore at BASE + offset once, with a
 * payload and a timestamp.
 */
static void submit_at(struct kt_device_times *t, uint64_t time, uint64_t number,
		      uint32_t channel, uint64_t offset, uint64_t payload)
{
	const struct kt_submission submission = {.number = number,
						 .time = time,
						 .instance = 1,
						 .client = 9,
						 .channel = channel};
	const struct kt_command command = {.kind = KT_COMMAND_RELEASE,
					   .releases = true,
					   .timestamp = true,
					   .address = BASE + offset,
					   .payload = payload};

	CU_ASSERT_EQUAL(kt_device_times_method(t, &submission, &command), KT_OK);
}

static void submit(struct kt_device_times *t, uint64_t number, uint32_t channel,
		   uint64_t offset, uint64_t payload)
{
	submit_at(t, 0, number, channel, offset, payload);
}

static void report_at(struct kt_device_times *t, uint64_t seen, uint64_t offset,
		      uint64_t payload, uint64_t time)
{
	const struct kt_report_fields fields = {
		.mapping = 7, .offset = offset, .payload = payload, .time = time};

	CU_ASSERT_EQUAL(kt_device_times_report(t, 1, seen, &fields), KT_OK);
}

static void report(struct kt_device_times *t, uint64_t offset, uint64_t payload,
		   uint64_t time)
{
	/*
	 * The report is seen so late that the times of doorbells do not show when work
	 * began.
	 */
	report_at(t, UINT64_C(1) << 40, offset, payload, time);
}

static void begin(struct kt_device_times *t)
{
	const struct kt_map_fields map = {.mapping = 7, .address = BASE, .length = 4096};

	*t = (struct kt_device_times){.n = 0};
	CU_ASSERT_EQUAL(kt_device_times_map(t, 1, &map), KT_OK);
}

/*
 * Compares times with "END TOOK", or "-" for what is unknown; frees them. The END of the
 * earliest time is 0.
 */
static void expect(struct kt_device_times *t, const char *const *wanted, uint64_t n)
{
	char got[64];

	CU_ASSERT_EQUAL(kt_device_times_settle(t), KT_OK);
	for (uint64_t i = 0; i < n; i++) {
		struct kt_device_time time = kt_device_times_at(t, i + 1);

		if (time.releases == 0) {
			snprintf(got, sizeof(got), "-");
		} else if (!time.took_known) {
			snprintf(got, sizeof(got), "%llu -", (unsigned long long)time.end);
		} else {
			snprintf(got, sizeof(got), "%llu %llu",
				 (unsigned long long)time.end,
				 (unsigned long long)time.took);
		}
		CU_ASSERT_STRING_EQUAL(got, wanted[i]);
	}
	kt_device_times_free(t);
}

static void test_order(void)
{
	static const char *const wanted[] = {"0 -", "50 50", "-", "300 -", "350 50"};
	struct kt_device_times t;

	begin(&t);
	submit(&t, 1, 1, 0x10, 1);
	report(&t, 0x10, 1, 100);
	submit(&t, 2, 1, 0x10, 2);
	report(&t, 0x10, 2, 150);
	/*
	 * With two submissions in flight, the first payload is overwritten before it is
	 * read.
	 */
	submit(&t, 3, 1, 0x10, 3);
	submit(&t, 4, 1, 0x10, 4);
	report(&t, 0x10, 4, 400);
	submit(&t, 5, 1, 0x10, 5);
	report(&t, 0x10, 5, 450);
	expect(&t, wanted, 5);
}

static void test_channels(void)
{
	static const char *const wanted[] = {"0 -", "100 -", "130 130", "-", "160 60"};
	struct kt_device_times t;

	begin(&t);
	submit(&t, 1, 1, 0x10, 1);
	submit(&t, 2, 2, 0x20, 1);
	report(&t, 0x10, 1, 100);
	report(&t, 0x20, 1, 200);
	submit(&t, 3, 1, 0x10, 2);
	report(&t, 0x10, 2, 230);
	/* Submission 4 gets no report, and nothing is released at offset 0x40. */
	submit(&t, 4, 3, 0x30, 1);
	report(&t, 0x40, 1, 240);
	submit(&t, 5, 2, 0x20, 2);
	report(&t, 0x20, 2, 260);
	expect(&t, wanted, 5);
}

/* If a submission has several releases, the time from the first to the last counts. */
static void test_inside(void)
{
	static const char *const wanted[] = {"0 -", "850 450"};
	struct kt_device_times t;

	begin(&t);
	submit(&t, 1, 1, 0x10, 1);
	report(&t, 0x10, 1, 100);
	submit(&t, 2, 1, 0x20, 1);
	submit(&t, 2, 1, 0x30, 1);
	submit(&t, 2, 1, 0x10, 2);
	report(&t, 0x30, 1, 900);
	report(&t, 0x20, 1, 500);
	report(&t, 0x10, 2, 950);
	expect(&t, wanted, 2);
}

/* A payload that is released again, and reports that are read again. */
static void test_again(void)
{
	static const char *const wanted[] = {"0 -", "-", "200 -"};
	struct kt_device_times t;

	begin(&t);
	submit(&t, 1, 1, 0x10, 1);
	report(&t, 0x10, 1, 100);
	submit(&t, 2, 1, 0x10, 1);
	report(&t, 0x10, 1, 100); /* still the first release */
	submit(&t, 3, 1, 0x10, 1);
	report(&t, 0x10, 1, 300);
	report(&t, 0x10, 1, 100); /* older than the report that was read before */
	report(&t, 0x10, 9, 400); /* no release has this payload */
	expect(&t, wanted, 3);
}

/* The device is done before the event of the doorbell. */
static void test_early(void)
{
	static const char *const wanted[] = {"0 -", "100 100", "-", "300 -"};
	struct kt_device_times t;

	begin(&t);
	report(&t, 0x10, 1, 100);
	submit(&t, 1, 1, 0x10, 1);
	report(&t, 0x10, 2, 200);
	submit(&t, 2, 1, 0x10, 2);
	submit(&t, 3, 1, 0x10, 2); /* not the same report again */
	report(&t, 0x10, 4, 400);
	submit(&t, 4, 1, 0x10, 4);
	expect(&t, wanted, 4);
}

static void test_width(void)
{
	static const char *const wanted[] = {"0 -", "-", "200 -"};
	struct kt_device_times t;

	begin(&t);
	/*
	 * If the payload has 32 bits, only the low half of the reported payload is
	 * compared; if it has 64 bits, the whole.
	 */
	submit(&t, 1, 1, 0x10, 1);
	report(&t, 0x10, UINT64_C(0xdead00000001), 100);
	submit(&t, 2, 2, 0x20, UINT64_C(0x500000001));
	report(&t, 0x20, 1, 200);
	submit(&t, 3, 3, 0x30, UINT64_C(0x500000001));
	report(&t, 0x30, UINT64_C(0x500000001), 300);
	expect(&t, wanted, 3);
}

/*
 * The device's timer is 1,000,000 ns ahead. The first report is seen 20 ns late, the others
 * later, so the computed time of a doorbell is 20 ns too early.
 */
static void test_idle(void)
{
	static const char *const wanted[] = {"0 -", "4900 120", "5000 100", "104900 1020"};
	struct kt_device_times t;

	begin(&t);
	submit_at(&t, 50, 1, 1, 0x10, 1);
	report_at(&t, 120, 0x10, 1, 1000100);
	/*
	 * Submission 2 follows a pause, so its time counts from its doorbell. Submission 3
	 * follows at once, so its time counts from the previous release.
	 */
	submit_at(&t, 4900, 2, 1, 0x10, 2);
	report_at(&t, 5090, 0x10, 2, 1005000);
	submit_at(&t, 4950, 3, 1, 0x10, 3);
	report_at(&t, 5190, 0x10, 3, 1005100);
	/* Another channel's reports do not count. */
	submit_at(&t, 104000, 4, 1, 0x10, 4);
	report_at(&t, 105100, 0x10, 4, 1105000);
	submit_at(&t, 104000, 5, 2, 0x20, 1);
	report_at(&t, 1105001, 0x20, 1, 1105001);
	expect(&t, wanted, 4);
}

/*
 * The reports of submission 1 are too old for submission 2, because the clocks may have
 * drifted apart. The doorbell of submission 3 is seen after its work was done.
 */
static void test_drift(void)
{
	static const char *const wanted[] = {"0 -", "1000000000 500", "1000000500 0"};
	struct kt_device_times t;

	begin(&t);
	submit_at(&t, 50, 1, 1, 0x10, 1);
	report_at(&t, 110, 0x10, 1, 1100);
	submit_at(&t, 1000000600, 2, 1, 0x10, 2);
	report_at(&t, 1000001100, 0x10, 2, 1000001100);
	submit_at(&t, 1000001700, 3, 1, 0x10, 3);
	report_at(&t, 1000001700, 0x10, 3, 1000001600);
	expect(&t, wanted, 3);
}

/* If reports are damaged, with times near 2^63, doorbells do not show when work began. */
static void test_damaged(void)
{
	static const char *const wanted[] = {"0 -", "100 100", "200 100"};
	struct kt_device_times t;

	begin(&t);
	submit_at(&t, 1000, 1, 1, 0x10, 1);
	report_at(&t, 2000, 0x10, 1, INT64_MAX - 500);
	submit_at(&t, 5000, 2, 1, 0x10, 2);
	report_at(&t, 6000, 0x10, 2, INT64_MAX - 400);
	submit_at(&t, UINT64_MAX, 3, 1, 0x10, 3);
	report_at(&t, 7000, 0x10, 3, INT64_MAX - 300);
	expect(&t, wanted, 3);
}

static void test_sum(void)
{
	const struct kt_device_time known = {.releases = 1, .took_known = true, .took = 7};
	const struct kt_device_time first = {.releases = 1};
	struct kt_device_sum sum = {0};
	struct kt_device_sum all = {0};
	struct kt_cell cells[KT_DEVICE_CELLS];

	kt_device_sum_add(&sum, &first);
	kt_device_cells(cells, &sum, true);
	CU_ASSERT_FALSE(cells[0].known);
	CU_ASSERT_TRUE(cells[1].known && cells[1].number == 0);
	kt_device_sum_add(&sum, &known);
	kt_device_sum_add(&sum, &known);
	kt_device_sum_up(&all, &sum);
	kt_device_sum_up(&all, &sum);
	kt_device_cells(cells, &all, true);
	CU_ASSERT_TRUE(cells[0].known && cells[0].number == 28);
	CU_ASSERT_EQUAL(cells[1].number, 4);
	CU_ASSERT_EQUAL(cells[2].number, 2);
	kt_device_cells(cells, &all, false);
	CU_ASSERT_FALSE(cells[0].known || cells[1].known || cells[2].known);
}

static void test_empty(void)
{
	static const char *const wanted[] = {"-"};
	struct kt_device_times t = {.n = 0};

	report(&t, 0x10, 1, 100); /* the mapping is unknown */
	expect(&t, wanted, 1);
	CU_ASSERT_EQUAL(kt_device_times_at(NULL, 1).releases, 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"one after the other, and in flight", test_order},
		{"channels", test_channels},
		{"several releases of a submission", test_inside},
		{"a payload again, a report again", test_again},
		{"reports before their releases", test_early},
		{"payloads of 32 and 64 bits", test_width},
		{"a channel that was idle", test_idle},
		{"clocks that drift", test_drift},
		{"damaged times", test_damaged},
		{"sums", test_sum},
		{"nothing", test_empty},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("device-times", tests);
}
