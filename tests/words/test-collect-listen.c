/* SPDX-License-Identifier: MIT */
/*
 * Tests what only a listener of the collector sees: when letters are reported, and which
 * data are not final yet.
 */
#include <malloc.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "tests/suite.h"
#include "tests/words/collect-rig.h"

static void test_reported_at_once(void)
{
	rig_begin();
	rig_add_begin(7, "app");
	rig_add(7, 1, 1);
	CU_ASSERT_EQUAL_FATAL(rig.n_heard, 1);
	CU_ASSERT_EQUAL(rig.heard[0].n, 1);
	rig_add(7, 3, 3);
	CU_ASSERT_EQUAL(rig.heard[0].n, 1); /* event 3 waits for event 2 */
	rig_add(7, 2, 2);
	CU_ASSERT_EQUAL(rig.heard[0].n, 3);
	CU_ASSERT_FALSE(rig.heard[0].ended || rig.heard[0].provisional);
	rig_add_begin(7, "next");
	CU_ASSERT(rig.heard[0].ended);
	rig_finish(1);
	rig_expect(0, "trace/app.0 cut-end: 1 2 3");
	rig_end();
}

/* If the window is full, the next event makes the missing one count as lost. */
static void test_window(void)
{
	rig_begin();
	rig_add_begin(7, "app");
	for (uint32_t i = 0; i < KT_STREAM_WINDOW; i++) {
		rig_add(7, 2 + i, i);
	}
	CU_ASSERT_EQUAL(rig.n_heard, 0);
	rig_add(7, 2 + KT_STREAM_WINDOW, 0);
	CU_ASSERT_EQUAL_FATAL(rig.n_heard, 1);
	CU_ASSERT_EQUAL(rig.heard[0].n, KT_STREAM_WINDOW + 1);
	CU_ASSERT(rig.heard[0].cut_begin);
	rig_add(7, 1, 5); /* event 1 is too late */
	rig_finish(1);
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->late, 1);
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->lost, 1);
	CU_ASSERT_EQUAL(kt_collector_word(rig.collector, 0)->info.lost, 1);
	rig_end();
}

/* An event waits at most KT_STREAM_PATIENCE. Events of any process advance the time. */
static void test_patience(void)
{
	rig_begin();
	rig_add_begin(7, "app");
	rig_add(7, 1, 1);
	rig_add(7, 3, 3);
	rig.now += KT_STREAM_PATIENCE - 1;
	rig_add_begin(8, "other");
	CU_ASSERT_EQUAL(rig.heard[0].n, 1);
	CU_ASSERT_EQUAL(rig.n_heard, 1);
	rig_add(8, 1, 1);
	CU_ASSERT_EQUAL_FATAL(rig.n_heard, 3);
	CU_ASSERT_EQUAL(rig.heard[2].n, 1);
	rig_finish(3);
	rig_expect(0, "trace/app.0.0 cut-end: 1");
	rig_expect(1, "trace/app.0.1 lost 1 cut-begin cut-end: 3");
	rig_expect(2, "trace/other.0 cut-end: 1");
	rig_end();
}

static int forget_letter(void *context, size_t number, const struct kt_record *record)
{
	(void)number;
	*(uint64_t *)context += record->letter;
	return KT_OK;
}

/* Half a million events take no more memory than ten thousand. */
static void test_memory(void)
{
	uint64_t sum = 0;
	struct kt_word_listener silent = {rig_hear_begin, forget_letter, rig_hear_end,
					  &sum};
	size_t used = 0;

	rig_begin();
	kt_collector_listen(rig.collector, &silent);
	rig_add_begin(1, "app");
	for (uint32_t i = 1; i <= 500000; i++) {
		/* Exchanges the events of every other pair. */
		rig_add_access(1 + i % 5,
			       i % 4 == 1   ? i + 1
			       : i % 4 == 2 ? i - 1
					    : i,
			       i % 3, 1, i % 7);
		used = i == 10000 ? mallinfo2().uordblks : used;
	}
	CU_ASSERT_EQUAL(mallinfo2().uordblks, used);
	CU_ASSERT_EQUAL_FATAL(kt_collector_finish(rig.collector), KT_OK);
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->lost, 0);
	CU_ASSERT(sum > 0);
	rig_end();
}

/* --- encoders --- */

static int n_encoders;

static int begin_encoder(void *context, void **encoder)
{
	*encoder = context;
	n_encoders++;
	return KT_OK;
}

static int take_as_it_is(void *encoder, const struct kt_record *record, bool after_gap,
			 const struct kt_record **out, size_t *n)
{
	(void)encoder;
	(void)after_gap;
	*out = record;
	*n = record != NULL;
	return KT_OK;
}

static uint32_t strays(const void *encoder)
{
	(void)encoder;
	return 3;
}

static void end_encoder(void *encoder)
{
	(void)encoder;
	n_encoders--;
}

static void drop_record(void *context, const struct kt_record *record)
{
	(void)record;
	++*(int *)context;
}

static const struct kt_encoding plain = {.begin = begin_encoder,
					 .take = take_as_it_is,
					 .strays = strays,
					 .end = end_encoder,
					 .drop = drop_record};

/* An encoder is freed soon after its process ends, because it is large. */
static void test_ended(void)
{
	int dropped = 0;

	rig_begin();
	kt_collector_set_encoding(rig.collector, &plain, &dropped);
	rig_add_begin(7, "app");
	rig_add(7, 1, 1);
	rig_add_end(7, 2);
	rig_add(7, 3, 3); /* an event after the first end: the process goes on */
	rig_add_end(7, 4);
	rig_add_begin(8, "other");
	rig_add(8, 1, 1);
	CU_ASSERT_EQUAL(n_encoders, 2);
	rig.now += 3 * KT_STREAM_PATIENCE;
	rig_add(8, 2, 2);
	CU_ASSERT_EQUAL(n_encoders, 1);
	CU_ASSERT(rig.heard[0].ended && !rig.heard[1].ended);
	rig_add(7, 5, 5); /* too late */
	CU_ASSERT_EQUAL(dropped, 1);
	rig.now += 3 * KT_STREAM_PATIENCE;
	rig_add_begin(7, "next");
	rig_add(7, 1, 1);
	rig_finish(3);
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->late, 1);
	rig_expect(0, "trace/app.0: 1 3");
	rig_expect(1, "trace/other.0 cut-end: 1 2");
	rig_expect(2, "trace/next.0 cut-end: 1");
	CU_ASSERT_EQUAL(n_encoders, 0);
	rig_end();
}

static void expect_now(size_t number, const char *name)
{
	char *got;

	CU_ASSERT_EQUAL_FATAL(kt_collector_name_now(&got, rig.collector, number), KT_OK);
	CU_ASSERT_STRING_EQUAL(got, name);
	free(got);
}

static void test_names_now(void)
{
	rig_begin();
	rig_add_begin(1, "app");
	rig_add(1, 1, 1);
	rig_add_begin(2, "app");
	rig_add(2, 1, 1);
	expect_now(0, "trace/app.0");
	expect_now(1, "trace/app.1");
	rig.now += 2 * KT_STREAM_PATIENCE;
	rig_add(2, 5, 1);
	rig.now += 2 * KT_STREAM_PATIENCE;
	rig_add(3, 1, 1);
	rig.now += 2 * KT_STREAM_PATIENCE;
	rig_add(2, 6, 1);
	expect_now(1, "trace/app.1"); /* The final name is app.1.0. */
	expect_now(2, "trace/app.1.1");
	expect_now(3, "trace/unknown.0");
	rig_finish(4);
	rig_expect(1, "trace/app.1.0 cut-end: 1");
	rig_expect(2, "trace/app.1.1 lost 3 cut-begin cut-end: 1 1");
	rig_end();
}

/* Letters of unknown channels get the ordinal after that of the last channel so far. */
static void test_strays_now(void)
{
	int dropped = 0;

	rig_begin_unit(KT_WORD_CHANNEL, KT_SOURCE_USER);
	kt_collector_set_encoding(rig.collector, &plain, &dropped);
	rig_add_begin(1, "app");
	rig_add_access(1, 1, KT_RUN_NONE, 2, 5);
	rig_add_access(1, 2, KT_RUN_NONE, KT_NO_CHANNEL, 6);
	expect_now(0, "trace/app.0.c2");
	expect_now(1, "trace/app.0.c3");
	rig_finish(2);
	rig_expect(1, "trace/app.0.c3 cut-end: 6");
	rig_end();
}

static void test_provisional(void)
{
	rig_begin();
	rig_add_both();
	CU_ASSERT_EQUAL_FATAL(rig.n_heard, 3);
	CU_ASSERT(!rig.heard[0].provisional && rig.heard[1].provisional &&
		  rig.heard[2].provisional);
	rig_finish(2);
	CU_ASSERT_EQUAL(kt_collector_word(rig.collector, 1)->number, 2);
	rig_end();
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"letters are reported at once", test_reported_at_once},
		{"the window", test_window},
		{"patience", test_patience},
		{"names on the way", test_names_now},
		{"words of no channel on the way", test_strays_now},
		{"words of the other source", test_provisional},
		{"memory", test_memory},
		{"memory of processes that are over", test_ended},
		CU_TEST_INFO_NULL,
	};

	rig.listening = true;
	return kt_run_suite("collect-listen", tests);
}
