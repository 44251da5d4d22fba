/* SPDX-License-Identifier: MIT */
/*
 * Tests the streaming reader: order, losses, and fields. Argument:
 * tests/words/data/scripted.
 */
#include <string.h>

#include <ktail/status.h>

#include "infer/words/read/event-order.h"
#include "infer/words/read/events.h"
#include "tests/suite.h"

static const char *folder;

/* --- order --- */

static struct kt_collect_totals totals;
static struct kt_instances instances;
static struct kt_event_order *order;
static int64_t now; /* time of the events that are added */

static void add(uint32_t pid, uint64_t seq, enum kt_event_kind kind)
{
	struct kt_origin origin = {.pid = pid};
	struct kt_queued event = {.seq = seq, .tid = pid, .time = now};
	struct kt_arrival arrival;

	CU_ASSERT_EQUAL(kt_instances_take(&instances, &origin, seq, kind, 0, &arrival),
			KT_OK);
	event.instance = arrival.instance;
	CU_ASSERT_EQUAL(kt_event_order_add(order, &event), KT_OK);
}

/* Checks the next sorted event. */
static void expect(uint32_t pid, uint64_t seq)
{
	struct kt_queued event = {.seq = UINT64_MAX};

	CU_ASSERT_TRUE(kt_event_order_take(order, &event));
	CU_ASSERT_EQUAL(event.tid, pid);
	CU_ASSERT_EQUAL(event.seq, seq);
}

static void expect_none(void)
{
	struct kt_queued event;

	CU_ASSERT_FALSE(kt_event_order_take(order, &event));
}

static void open_order(void)
{
	memset(&totals, 0, sizeof(totals));
	instances.size = sizeof(struct kt_instance);
	CU_ASSERT_EQUAL_FATAL(kt_event_order_new(&order, &totals), KT_OK);
}

static void close_order(void)
{
	kt_event_order_free(order);
	kt_instances_free(&instances);
}

static void test_swapped(void)
{
	open_order();
	add(1, 0, KT_EVENT_BEGIN);
	add(1, 3, KT_EVENT_OTHER);
	add(1, 2, KT_EVENT_OTHER);
	add(2, 0, KT_EVENT_BEGIN);
	expect(1, 0);
	expect(2, 0);
	expect_none();
	add(1, 1, KT_EVENT_OTHER);
	expect(1, 1);
	expect(1, 2);
	expect(1, 3);
	expect_none();
	add(1, 4, KT_EVENT_END);
	add(2, 1, KT_EVENT_END);
	CU_ASSERT_EQUAL(kt_event_order_end(order), KT_OK);
	CU_ASSERT_EQUAL(totals.lost, 0);
	CU_ASSERT_EQUAL(totals.cut_begins, 0);
	CU_ASSERT_EQUAL(totals.cut_ends, 0);
	CU_ASSERT_EQUAL(totals.processes, 2);
	close_order(); /* some events were not taken */
}

static void test_gap(void)
{
	open_order();
	add(1, 0, KT_EVENT_BEGIN);
	expect(1, 0);
	for (uint64_t seq = 3; seq < 3 + KT_EVENTS_WINDOW; seq++) {
		add(1, seq, KT_EVENT_OTHER);
		expect_none();
	}
	add(1, 3 + KT_EVENTS_WINDOW, KT_EVENT_OTHER);
	for (uint64_t seq = 3; seq <= 3 + KT_EVENTS_WINDOW; seq++) {
		expect(1, seq);
	}
	expect_none();
	CU_ASSERT_EQUAL(totals.lost, 2);
	add(1, 2, KT_EVENT_OTHER); /* late, and no longer counted as lost */
	expect(1, 2);
	CU_ASSERT_EQUAL(totals.lost, 1);
	CU_ASSERT_EQUAL(kt_event_order_end(order), KT_OK);
	CU_ASSERT_EQUAL(totals.cut_ends, 1);
	close_order();
}

/* With a gap after every second event, over many windows, all events come out in order. */
static void test_many_gaps(void)
{
	const uint64_t end = 12 * KT_EVENTS_WINDOW;
	struct kt_queued event;
	uint64_t expected = 0;

	open_order();
	for (uint64_t seq = 0; seq < end; seq += 4) {
		add(1, seq + (seq > 0), seq > 0 ? KT_EVENT_OTHER : KT_EVENT_BEGIN);
		add(1, seq + (seq == 0), KT_EVENT_OTHER);
		while (kt_event_order_take(order, &event)) {
			CU_ASSERT_EQUAL(event.seq, expected);
			expected += expected % 4 == 0 ? 1 : 3;
		}
	}
	CU_ASSERT_EQUAL(kt_event_order_end(order), KT_OK);
	while (kt_event_order_take(order, &event)) {
		CU_ASSERT_EQUAL(event.seq, expected);
		expected += expected % 4 == 0 ? 1 : 3;
	}
	CU_ASSERT_EQUAL(expected, end);
	CU_ASSERT_EQUAL(totals.lost, (end / 4 - 1) * 2);
	close_order();
}

/* Events of a live session wait for missing ones for a second. */
static void test_time(void)
{
	open_order();
	now = KT_STREAM_PATIENCE;
	add(1, 7, KT_EVENT_OTHER); /* the program already ran */
	now = 2 * KT_STREAM_PATIENCE;
	add(1, 8, KT_EVENT_OTHER);
	add(1, 10, KT_EVENT_OTHER);
	CU_ASSERT_EQUAL(kt_event_order_pass(order, 2 * KT_STREAM_PATIENCE), KT_OK);
	expect_none();
	CU_ASSERT_EQUAL(kt_event_order_pass(order, 2 * KT_STREAM_PATIENCE + 1), KT_OK);
	expect(1, 7);
	expect(1, 8);
	expect_none();
	CU_ASSERT_EQUAL(kt_event_order_pass(order, 3 * KT_STREAM_PATIENCE + 1), KT_OK);
	expect(1, 10);
	expect_none();
	CU_ASSERT_EQUAL(totals.lost, 1);
	add(1, 11, KT_EVENT_OTHER);
	expect(1, 11);
	CU_ASSERT_EQUAL(kt_event_order_end(order), KT_OK);
	now = 0;
	close_order();
}

static void test_instances(void)
{
	open_order();
	add(1, 7, KT_EVENT_OTHER); /* the beginning of the instance is missing */
	add(1, 8, KT_EVENT_END);
	expect_none();
	add(1, 0, KT_EVENT_BEGIN);
	expect(1, 7);
	expect(1, 8);
	expect(1, 0);
	add(1, 1, KT_EVENT_END); /* the exec fails, so the process goes on */
	add(1, 2, KT_EVENT_OTHER);
	add(1, 3, KT_EVENT_END);
	add(1, 1, KT_EVENT_OTHER); /* another instance, without its beginning */
	expect(1, 1);
	expect(1, 2);
	expect(1, 3);
	expect_none();
	CU_ASSERT_EQUAL(kt_event_order_end(order), KT_OK);
	expect(1, 1);
	CU_ASSERT_EQUAL(totals.processes, 3);
	CU_ASSERT_EQUAL(totals.lost, 0);
	CU_ASSERT_EQUAL(totals.cut_begins, 2);
	CU_ASSERT_EQUAL(totals.cut_ends, 1);
	close_order();
}

/* --- a trace --- */

/*
 * Fields of an ioctl. Those that are read as another type or are not in the event stay
 * empty.
 */
struct fields {
	const char *device;
	bool with_class;
	uint32_t request;
	uint64_t class_number;
	int32_t error;
	int64_t result;
	uint64_t result_unsigned;
	const char *request_text;
	int64_t device_number;
	const char *space;
	struct kt_event_words device_words;
	struct kt_event_numbers request_numbers;
	uint32_t untouched;
};

static void test_fields(void)
{
	static const struct kt_event_field ioctl[] = {
		KT_EVENT_FIELD(fields, device, "device"),
		KT_EVENT_FIELD(fields, with_class, "class"),
		KT_EVENT_FIELD(fields, request, "request"),
		KT_EVENT_FIELD(fields, class_number, "class"),
		KT_EVENT_FIELD(fields, error, "error"),
		KT_EVENT_FIELD(fields, result, "result"),
		KT_EVENT_FIELD(fields, result_unsigned, "result"),
		KT_EVENT_FIELD(fields, request_text, "request"),
		KT_EVENT_FIELD(fields, device_number, "device"),
		KT_EVENT_FIELD(fields, space, "space"),
		KT_EVENT_FIELD(fields, device_words, "device"),
		KT_EVENT_FIELD(fields, request_numbers, "request"),
	};
	static const struct kt_event_shape shapes[] = {
		{"none", NULL, 0}, {"ioctl", ioctl, sizeof(ioctl) / sizeof(ioctl[0])}};
	struct kt_events_options options = {.shapes = shapes, .n_shapes = 2};
	struct fields fields;
	const struct kt_event *event;
	kt_events *events;

	CU_ASSERT_EQUAL_FATAL(kt_events_open(&events, folder, &options), KT_OK);
	for (int i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL_FATAL(kt_events_next(events, &event), KT_OK);
	}
	CU_ASSERT_STRING_EQUAL(event->name, "ioctl");
	CU_ASSERT_STRING_EQUAL(event->process_name, "app");
	CU_ASSERT_EQUAL(event->seq, 3);
	CU_ASSERT_EQUAL(event->shape, 1);
	CU_ASSERT_FALSE(event->call);
	memset(&fields, 0x55, sizeof(fields));
	kt_event_read(event, &fields);
	CU_ASSERT_STRING_EQUAL(fields.device, "nvidiactl");
	CU_ASSERT_TRUE(fields.with_class);
	CU_ASSERT_EQUAL(fields.request, 0xc030462b);
	CU_ASSERT_EQUAL(fields.class_number, 0xc5c0);
	CU_ASSERT_EQUAL(fields.error, 22);
	CU_ASSERT_EQUAL(fields.result, -1);
	CU_ASSERT_EQUAL(fields.result_unsigned, 0);
	CU_ASSERT_STRING_EQUAL(fields.request_text, "");
	CU_ASSERT_EQUAL(fields.device_number, 0);
	CU_ASSERT_STRING_EQUAL(fields.space, "");
	CU_ASSERT_PTR_NULL(fields.device_words.items);
	CU_ASSERT_EQUAL(fields.device_words.n, 0);
	CU_ASSERT_EQUAL(fields.request_numbers.n, 0);
	CU_ASSERT_EQUAL(fields.untouched, 0x55555555);
	CU_ASSERT_EQUAL_FATAL(kt_events_next(events, &event), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_events_next(events, &event), KT_OK);
	CU_ASSERT_STRING_EQUAL(event->name, "map");
	CU_ASSERT_EQUAL(event->shape, 2);
	fields.request = 7;
	kt_event_read(event, &fields);
	CU_ASSERT_EQUAL(fields.request, 7);
	kt_events_free(events); /* before the last event */
}

static void test_report(void)
{
	struct kt_trace_options options = {0};
	const struct kt_trace_report *ours;
	const struct kt_trace_report *theirs;
	const struct kt_event *event;
	kt_alphabet *alphabet;
	kt_events *events;
	kt_trace *trace;
	uint64_t n = 0;

	CU_ASSERT_EQUAL_FATAL(kt_alphabet_open(&alphabet, "table1"), KT_OK);
	options.alphabet = alphabet;
	CU_ASSERT_EQUAL_FATAL(kt_trace_open(&trace, folder, &options), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_events_open(&events, folder, NULL), KT_OK);
	while (kt_events_next(events, &event) == KT_OK && event) {
		n++;
	}
	CU_ASSERT_EQUAL(kt_events_next(events, &event), KT_OK);
	CU_ASSERT_PTR_NULL(event);
	ours = kt_events_report(events);
	theirs = kt_trace_report(trace);
	CU_ASSERT_EQUAL(n, theirs->totals.events);
	CU_ASSERT_EQUAL(ours->totals.events, theirs->totals.events);
	CU_ASSERT_EQUAL(ours->totals.lost, theirs->totals.lost);
	CU_ASSERT_EQUAL(ours->totals.processes, theirs->totals.processes);
	CU_ASSERT_EQUAL(ours->last_time, theirs->last_time);
	CU_ASSERT_STRING_EQUAL(ours->stopped, "");
	kt_events_free(events);
	kt_trace_free(trace);
	kt_alphabet_free(alphabet);
}

static void test_wrong(void)
{
	kt_events *events;

	CU_ASSERT_EQUAL(kt_events_open(&events, "/no/such/folder", NULL), KT_E_IO);
	CU_ASSERT_EQUAL(kt_events_open(&events, "/proc/self/fd", NULL), KT_E_EMPTY);
	CU_ASSERT_PTR_NULL(events);
	kt_events_free(NULL);
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"events that came too early wait", test_swapped},
		{"a gap ends the waiting", test_gap},
		{"many gaps", test_many_gaps},
		{"time", test_time},
		{"process instances of one pid", test_instances},
		{"fields as members of a struct", test_fields},
		{"the report is that of the words", test_report},
		{"traces that cannot be opened", test_wrong},
		CU_TEST_INFO_NULL,
	};

	folder = argc == 2 ? argv[1] : "";
	return kt_run_suite("events", tests);
}
