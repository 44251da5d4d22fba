/* SPDX-License-Identifier: MIT */
/*
 * Checks that words and the event iterator number process instances alike, and choose the
 * same ones if both user space and the kernel recorded a process; also that a trace keeps
 * the events that the iterator returns. Uses random events, then each trace in the folders
 * given as arguments, with every event as a letter.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/read/event-order.h"
#include "infer/words/read/events.h"
#include "infer/words/read/trace.h"
#include "infer/words/split/sources.h"
#include "tests/suite.h"

/* An event as one of the readers returns it. */
struct seen {
	uint64_t instance;
	uint64_t seq;
	uint32_t tid;
};

struct list {
	struct seen *items;
	size_t n;
	size_t capacity;
};

static int n_folders;
static char **folders;

static void put(struct list *list, uint64_t instance, uint64_t seq, uint32_t tid)
{
	if (list->n == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 1024;
		list->items = realloc(list->items, list->capacity * sizeof(*list->items));
		CU_ASSERT_PTR_NOT_NULL_FATAL(list->items);
	}
	list->items[list->n++] = (struct seen){instance, seq, tid};
}

static int compare(const void *a, const void *b)
{
	const struct seen *x = a;
	const struct seen *y = b;

	if (x->instance != y->instance) {
		return x->instance < y->instance ? -1 : 1;
	}
	if (x->seq != y->seq) {
		return x->seq < y->seq ? -1 : 1;
	}
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void clear(struct list *list)
{
	free(list->items);
	*list = (struct list){.n = 0};
}

static void expect_alike(const struct list *a, const struct list *b)
{
	size_t different = 0;

	CU_ASSERT_EQUAL_FATAL(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		different += compare(&a->items[i], &b->items[i]) != 0;
	}
	CU_ASSERT_EQUAL(different, 0);
}

/* Compares the lists regardless of their order. */
static void expect_same(struct list *a, struct list *b)
{
	qsort(a->items, a->n, sizeof(*a->items), compare);
	qsort(b->items, b->n, sizeof(*b->items), compare);
	expect_alike(a, b);
}

/* --- random events --- */

static uint64_t drawing;

static uint32_t draw(uint32_t n)
{
	drawing ^= drawing >> 12;
	drawing ^= drawing << 25;
	drawing ^= drawing >> 27;
	return (uint32_t)((drawing * UINT64_C(0x2545f4914f6cdd1d) >> 32) * n >> 32);
}

enum { N_EVENTS = 600 };

static const char *const names[] = {NULL, "app", "app", "sh"};

/* An event as both readers get it. */
struct drawn {
	struct kt_origin origin;
	struct kt_record record;
	const char *name; /* NULL: none */
	uint32_t vpid;    /* 0: none */
	bool acts;
};

static struct drawn drawn[N_EVENTS];

/* Draws the process's next sequence number: mostly the successor, else one out of order. */
static uint64_t draw_seq(uint64_t next)
{
	switch (draw(40)) {
	case 0: return 0;
	case 1: return next + 1 + draw(4);
	case 2: return next > 0 ? next - 1 : 0;
	case 3: return draw((uint32_t)next + 3);
	default: return next;
	}
}

static enum kt_event_kind draw_kind(uint64_t seq)
{
	if (seq == 0 && draw(5)) {
		return KT_EVENT_BEGIN;
	}
	switch (draw(60)) {
	case 0: return KT_EVENT_BEGIN;
	case 1:
	case 2: return KT_EVENT_END;
	default: return KT_EVENT_OTHER;
	}
}

static void draw_events(bool numbered)
{
	uint64_t next[8] = {0};

	for (uint32_t i = 0; i < N_EVENTS; i++) {
		uint32_t p = draw(8);
		bool kernel = p >= 6;
		struct kt_record record = {
			.seq = draw_seq(next[p]), .tid = i, .time = (int64_t)i};

		record.kind = draw_kind(record.seq);
		next[p] =
			record.seq >= next[p] || record.seq == 0 ? record.seq + 1 : next[p];
		drawn[i] = (struct drawn){
			.origin = {.pid = 1 + p % 4,
				   .trace = p / 4,
				   .host = kernel ? 1 : 1 + p / 4,
				   .kernel = kernel,
				   .no_seq = p == 3 && !numbered},
			.record = record,
			.name = record.kind == KT_EVENT_BEGIN || draw(20) == 0
					? names[draw(4)]
					: NULL,
			.vpid = kernel && record.kind == KT_EVENT_BEGIN ? 1 + draw(4) : 0,
			.acts = record.kind == KT_EVENT_OTHER && draw(8) == 0,
		};
	}
}

static void collect_drawn(kt_collector *collector)
{
	for (size_t i = 0; i < N_EVENTS; i++) {
		const struct drawn *d = &drawn[i];

		CU_ASSERT_EQUAL_FATAL(kt_collector_add(collector, &d->origin, &d->record),
				      KT_OK);
		if (d->acts) {
			kt_collector_instance(collector)->acts = true;
		}
		if (d->vpid) {
			kt_collector_instance(collector)->vpid = d->vpid;
		}
		if (d->name) {
			kt_instance_name(kt_collector_instance(collector), d->name,
					 d->record.kind == KT_EVENT_BEGIN);
		}
	}
	CU_ASSERT_EQUAL_FATAL(kt_collector_finish(collector), KT_OK);
}

static void take_ready(struct list *out, struct kt_event_order *order)
{
	struct kt_queued event;

	while (kt_event_order_take(order, &event)) {
		put(out, event.instance->number, event.seq, event.tid);
	}
}

/*
 * Orders the events once all process instances are known, as the reader does for traces of
 * both sources.
 */
static void order_drawn(struct list *out, enum kt_source source)
{
	struct kt_instances instances = {.size = sizeof(struct kt_instance)};
	struct kt_queued events[N_EVENTS];
	struct kt_collect_totals totals = {0};
	struct kt_event_order *order;

	for (size_t i = 0; i < N_EVENTS; i++) {
		const struct drawn *d = &drawn[i];
		const enum kt_event_kind kind = (enum kt_event_kind)d->record.kind;
		struct kt_arrival arrival;

		CU_ASSERT_EQUAL_FATAL(kt_instances_take(&instances, &d->origin,
							d->record.seq, kind, d->record.time,
							&arrival),
				      KT_OK);
		arrival.instance->vpid = d->vpid ? d->vpid : arrival.instance->vpid;
		arrival.instance->acts = arrival.instance->acts || d->acts;
		if (d->name) {
			kt_instance_name(arrival.instance, d->name, kind == KT_EVENT_BEGIN);
		}
		events[i] = (struct kt_queued){.seq = d->record.seq,
					       .tid = d->record.tid,
					       .instance = arrival.instance};
	}
	CU_ASSERT_EQUAL_FATAL(kt_sources_choose(instances.items, instances.n, source),
			      KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_event_order_new(&order, &totals), KT_OK);
	for (size_t i = 0; i < N_EVENTS; i++) {
		CU_ASSERT_EQUAL_FATAL(kt_event_order_add(order, &events[i]), KT_OK);
		take_ready(out, order);
	}
	CU_ASSERT_EQUAL_FATAL(kt_event_order_end(order), KT_OK);
	take_ready(out, order);
	kt_event_order_free(order);
	kt_instances_free(&instances);
}

/*
 * Clears sequence numbers, because the collector invents some: events are compared by their
 * threads, which are all different.
 */
static void forget_seqs(struct list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		list->items[i].seq = 0;
	}
}

static void list_words(struct list *out, const kt_collector *collector)
{
	for (size_t i = 0; i < kt_collector_count(collector); i++) {
		const struct kt_collected_word *word = kt_collector_word(collector, i);

		for (uint64_t j = 0; j < word->n; j++) {
			put(out, word->process, word->letters[j].seq, word->letters[j].tid);
		}
	}
}

/* Returns the number of events left out in favour of the other source. */
static uint64_t compare_random(uint64_t seed)
{
	enum kt_source source = seed % 3 ? KT_SOURCE_USER : KT_SOURCE_KERNEL;
	struct list ordered = {.n = 0};
	struct list words = {.n = 0};
	kt_collector *collector;
	uint64_t left_out;

	drawing = seed * UINT64_C(0x9e3779b97f4a7c15);
	draw_events(seed % 2 == 0);
	CU_ASSERT_EQUAL_FATAL(kt_collector_new(&collector, "t", KT_WORD_PROCESS, source),
			      KT_OK);
	collect_drawn(collector);
	order_drawn(&ordered, source);
	list_words(&words, collector);
	CU_ASSERT(words.n > 0);
	left_out = N_EVENTS - words.n;
	if (seed % 2) {
		forget_seqs(&ordered);
		forget_seqs(&words);
	}
	expect_same(&ordered, &words);
	clear(&ordered);
	clear(&words);
	kt_collector_free(collector);
	return left_out;
}

static void test_random(void)
{
	uint64_t left_out = 0;

	for (uint64_t seed = 1; seed <= 1500; seed++) {
		left_out += compare_random(seed);
	}
	CU_ASSERT(left_out > 0 && left_out < 1500 * N_EVENTS);
}

/* --- traces --- */

static const char alphabet_text[] =
	"process_begin -> e\nprocess_end -> e\ndevice_open -> e\ndevice_close -> e\n"
	"ioctl -> e\nobject -> e\nmap -> e\nunmap -> e\naccess -> e\ndoorbell -> e\n"
	"gpfifo_entry -> e\npushbuffer -> e\napi_enter -> e\napi_exit -> e\n"
	"api_kernel -> e\napi_coverage -> e\nwait -> e\n";

static void list_events(struct list *out, kt_events *events)
{
	const struct kt_event *event;

	CU_ASSERT_EQUAL_FATAL(kt_events_next(events, &event), KT_OK);
	while (event) {
		put(out, event->process, event->seq, event->tid);
		CU_ASSERT_EQUAL_FATAL(kt_events_next(events, &event), KT_OK);
	}
	kt_events_free(events);
}

/* Lists the letters of the trace's words and the events it keeps. */
static void list_trace(struct list *letters, struct list *kept, const char *path)
{
	static const struct kt_events_options no_shapes = {.n_shapes = 0};
	struct kt_trace_options options = {.word = KT_WORD_PROCESS, .events = &no_shapes};
	struct kt_trace_letter letter;
	struct kt_word_info info;
	kt_alphabet *alphabet;
	kt_trace *trace;
	kt_events *events;
	uint64_t n;

	CU_ASSERT_EQUAL_FATAL(kt_alphabet_parse(&alphabet, "all", "all", alphabet_text,
						strlen(alphabet_text)),
			      KT_OK);
	options.alphabet = alphabet;
	CU_ASSERT_EQUAL_FATAL(kt_trace_open(&trace, path, &options), KT_OK);
	for (size_t i = 0; i < kt_trace_words(trace); i++) {
		CU_ASSERT_EQUAL(kt_trace_word(trace, i, &info, &n), KT_OK);
		for (uint64_t j = 0; j < n; j++) {
			CU_ASSERT_EQUAL(kt_trace_letter(trace, i, j, &letter), KT_OK);
			put(letters, kt_trace_word_instance(trace, i), letter.seq,
			    letter.tid);
		}
	}
	CU_ASSERT_EQUAL_FATAL(kt_events_of(&events, trace), KT_OK);
	list_events(kept, events);
	kt_trace_free(trace);
	kt_alphabet_free(alphabet);
}

static void test_traces(void)
{
	for (int i = 0; i < n_folders; i++) {
		struct list words = {.n = 0};
		struct list kept = {.n = 0};
		struct list events = {.n = 0};
		kt_events *open;

		list_trace(&words, &kept, folders[i]);
		CU_ASSERT_EQUAL_FATAL(kt_events_open(&open, folders[i], NULL), KT_OK);
		list_events(&events, open);
		CU_ASSERT(words.n > 0);
		expect_alike(&kept, &events);
		expect_same(&words, &events);
		clear(&words);
		clear(&kept);
		clear(&events);
	}
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"random events", test_random},
		{"traces", test_traces},
		CU_TEST_INFO_NULL,
	};

	n_folders = argc - 1;
	folders = argv + 1;
	return kt_run_suite("instances", tests);
}
