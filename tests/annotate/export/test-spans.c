/* SPDX-License-Identifier: MIT */
/*
 * Tests spans. Calls within calls keep the times that the recorder measured, even if an
 * interruption made a call begin later than noted. Spans of random events are nested.
 */
#include <stdint.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/export/spans.h"
#include "tests/suite.h"

#define EVENTS  40
#define THREADS 3

/* Returns a pseudo-random number below n; the sequence is the same on each run. */
static uint32_t next(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 16) % n;
}

/* Checks that each span begins and ends once, inside the span in which it began. */
static void check_nesting(const struct kt_spans *spans, const struct kt_timeline_events *e)
{
	uint32_t open[EVENTS + 1];
	unsigned begun[EVENTS] = {0};
	unsigned ended[EVENTS] = {0};

	for (size_t thread = 0; thread < e->n_threads; thread++) {
		size_t depth = 0;
		int64_t last = 0;

		for (size_t i = spans->begins[thread]; i < spans->begins[thread + 1]; i++) {
			const struct kt_span_edge *edge = &spans->edges[i];

			CU_ASSERT(edge->time >= last);
			CU_ASSERT_EQUAL(e->events[edge->event].thread, thread);
			last = edge->time;
			if (edge->end) {
				CU_ASSERT_FATAL(depth > 0);
				CU_ASSERT_EQUAL(open[--depth], edge->event);
				ended[edge->event]++;
			} else {
				CU_ASSERT_FATAL(depth < EVENTS);
				open[depth++] = edge->event;
				begun[edge->event]++;
			}
		}
		CU_ASSERT_EQUAL(depth, 0);
	}
	for (size_t i = 0; i < e->n; i++) {
		const unsigned n = e->events[i].kind != KT_TIMELINE_ACCESS;

		CU_ASSERT_EQUAL(begun[i], n);
		CU_ASSERT_EQUAL(ended[i], n);
	}
}

/* Returns when an event's span begins (or ends). */
static int64_t when(const struct kt_spans *spans, uint32_t event, bool end)
{
	for (size_t i = 0; i < spans->begins[spans->n_threads]; i++) {
		if (spans->edges[i].event == event && spans->edges[i].end == end) {
			return spans->edges[i].time;
		}
	}
	CU_FAIL_FATAL("no such span");
	return -1;
}

static struct kt_timeline_event event(enum kt_timeline_kind kind, int64_t time,
				      uint64_t duration, uint32_t call)
{
	return (struct kt_timeline_event){
		.kind = kind, .time = time, .duration = duration, .call = call};
}

static void test_by_hand(void)
{
	struct kt_timeline_thread thread = {.tid = 1};
	struct kt_timeline_event list[] = {
		event(KT_TIMELINE_CALL, 0, 100, KT_TIMELINE_NONE),
		event(KT_TIMELINE_IOCTL, 10, 20, 0),
		event(KT_TIMELINE_CALL, 40, 60, 0),
		event(KT_TIMELINE_IOCTL, 100, 0, 2),
		event(KT_TIMELINE_IOCTL, 100, 5, KT_TIMELINE_NONE),
	};
	const struct kt_timeline_events events = {
		.events = list, .n = 5, .threads = &thread, .n_threads = 1};
	static const struct kt_span_edge expected[] = {
		{0, 0, false},   {10, 1, false}, {30, 1, true},  {40, 2, false},
		{100, 3, false}, {100, 3, true}, {100, 2, true}, {100, 0, true},
		{100, 4, false}, {105, 4, true},
	};
	struct kt_spans spans = {.n_threads = 0};

	CU_ASSERT_EQUAL_FATAL(kt_spans_make(&spans, &events), KT_OK);
	check_nesting(&spans, &events);
	CU_ASSERT_EQUAL_FATAL(spans.begins[1], 10);
	for (size_t i = 0; i < 10; i++) {
		CU_ASSERT_EQUAL(spans.edges[i].time, expected[i].time);
		CU_ASSERT_EQUAL(spans.edges[i].event, expected[i].event);
		CU_ASSERT_EQUAL(spans.edges[i].end, expected[i].end);
	}
	kt_spans_free(&spans);
}

/* The outer call was interrupted after its beginning was noted: it began 60 ns later. */
static void test_late(void)
{
	struct kt_timeline_thread thread = {.tid = 1};
	struct kt_timeline_event list[] = {
		event(KT_TIMELINE_CALL, 0, 40, KT_TIMELINE_NONE),
		event(KT_TIMELINE_CALL, 70, 30, 0),
		event(KT_TIMELINE_ACCESS, 65, 0, 0),
	};
	const struct kt_timeline_events events = {
		.events = list, .n = 3, .threads = &thread, .n_threads = 1};
	struct kt_spans spans = {.n_threads = 0};

	CU_ASSERT_EQUAL_FATAL(kt_spans_make(&spans, &events), KT_OK);
	check_nesting(&spans, &events);
	CU_ASSERT_EQUAL(when(&spans, 0, false), 60);
	CU_ASSERT_EQUAL(when(&spans, 0, true), 100);
	kt_spans_free(&spans);
	/*
	 * If an event within the call is earlier than this later beginning, the call lasts
	 * longer than measured.
	 */
	list[2].time = 20;
	CU_ASSERT_EQUAL_FATAL(kt_spans_make(&spans, &events), KT_OK);
	check_nesting(&spans, &events);
	CU_ASSERT_EQUAL(when(&spans, 0, false), 20);
	CU_ASSERT_EQUAL(when(&spans, 0, true), 100);
	kt_spans_free(&spans);
}

/* A damaged trace has a call whose duration would be beyond the largest time. */
static void test_endless(void)
{
	static const uint64_t durations[] = {UINT64_MAX - 4, (UINT64_C(1) << 63) - 5};
	struct kt_timeline_events events = {.n = 0};
	struct kt_moment moment = {.pid = 1, .tid = 1, .process = "app"};
	struct kt_spans spans = {.n_threads = 0};

	kt_timeline_events_begin(&events, 0, 0, UINT64_MAX);
	for (uint64_t i = 0; i < 2; i++) {
		struct kt_activity_call call = {.id = i + 1,
						.name = "cuMemAlloc",
						.returned = true,
						.duration = durations[i]};

		moment.call = &call;
		moment.seq++;
		moment.time += 1000;
		CU_ASSERT_EQUAL(
			kt_timeline_events_visitor.call_enter(&events, &moment, &call),
			KT_OK);
		moment.seq++;
		moment.time += 1000;
		CU_ASSERT_EQUAL(
			kt_timeline_events_visitor.call_exit(&events, &moment, &call),
			KT_OK);
		CU_ASSERT_EQUAL(events.events[i].duration, KT_TIMELINE_LATEST);
	}
	CU_ASSERT_EQUAL_FATAL(kt_spans_make(&spans, &events), KT_OK);
	check_nesting(&spans, &events);
	CU_ASSERT_EQUAL(when(&spans, 1, true), 3000 + KT_TIMELINE_LATEST);
	kt_spans_free(&spans);
	kt_timeline_events_free(&events);
}

static void test_random(void)
{
	static const enum kt_timeline_kind kinds[] = {KT_TIMELINE_CALL, KT_TIMELINE_CALL,
						      KT_TIMELINE_IOCTL, KT_TIMELINE_WAIT,
						      KT_TIMELINE_ACCESS};
	struct kt_timeline_thread threads[THREADS] = {{.tid = 1}};
	struct kt_timeline_event list[EVENTS];
	uint32_t state = 1;

	for (int round = 0; round < 3000; round++) {
		struct kt_timeline_events events = {
			.events = list, .threads = threads, .n_threads = THREADS};
		struct kt_spans spans = {.n_threads = 0};

		events.n = next(&state, EVENTS + 1);
		for (uint32_t i = 0; i < events.n; i++) {
			const uint32_t outer = next(&state, i + 1);

			/*
			 * Draw any times, and any earlier call of the same thread as the
			 * enclosing call.
			 */
			list[i] = event(kinds[next(&state, 5)],
					(int64_t)next(&state, 60) - 10, next(&state, 30),
					KT_TIMELINE_NONE);
			list[i].thread = next(&state, THREADS);
			if (outer < i && list[outer].kind == KT_TIMELINE_CALL &&
			    list[outer].thread == list[i].thread) {
				list[i].call = outer;
			}
		}
		CU_ASSERT_EQUAL_FATAL(kt_spans_make(&spans, &events), KT_OK);
		check_nesting(&spans, &events);
		kt_spans_free(&spans);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"by hand", test_by_hand},
		{"calls that began later than noted", test_late},
		{"calls that never end", test_endless},
		{"random events", test_random},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("spans", tests);
}
