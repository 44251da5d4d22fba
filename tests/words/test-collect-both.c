/* SPDX-License-Identifier: MIT */
/* Tests the words of processes that both sources recorded (KT_SOURCE_BOTH). */
#include <string.h>

#include <ktail/status.h>

#include "infer/words/split/instances.h"
#include "tests/suite.h"
#include "tests/words/collect-rig.h"

enum { USER_ZERO = 1000, KERNEL_ZERO = 900, CLOCK = 77 };

/*
 * Both traces have the same clock, but the kernel's trace states a time of the clock's zero
 * that is 100 ns less: an error of measurement.
 */
static const struct kt_origin user = {.pid = 7, .clock = CLOCK, .clock_zero = USER_ZERO};
static const struct kt_origin kernel = {
	.pid = 7, .trace = 1, .kernel = true, .clock = CLOCK, .clock_zero = KERNEL_ZERO};

/* Adds an event at a time of the common clock. */
static void add(const struct kt_origin *origin, enum kt_event_kind kind, uint64_t seq,
		int64_t at, uint32_t letter)
{
	const struct kt_record record = {.seq = seq,
					 .time = origin->clock_zero + at,
					 .tid = origin->pid,
					 .letter = letter & KT_NO_LETTER,
					 .kind = kind};
	struct kt_instance *instance;

	CU_ASSERT_EQUAL_FATAL(kt_collector_add(rig.collector, origin, &record), KT_OK);
	instance = kt_collector_instance(rig.collector);
	if (kind != KT_EVENT_BEGIN && kind != KT_EVENT_END) {
		instance->first_act = instance->acts ? instance->first_act : record.time;
		instance->last_act = record.time;
		instance->acts = true;
	}
}

/* Adds an interrupt of a line, in the kernel's trace. */
static void add_irq(uint32_t line, uint64_t seq, int64_t at, uint32_t letter)
{
	struct kt_origin origin = kernel;
	const struct kt_record record = {.seq = seq,
					 .time = KERNEL_ZERO + at,
					 .letter = letter & KT_NO_LETTER,
					 .kind = KT_EVENT_KERNEL};

	origin.pid = 0;
	CU_ASSERT_EQUAL_FATAL(kt_collector_add_irq(rig.collector, &origin, line, &record),
			      KT_OK);
}

static void begin(void)
{
	rig_begin_unit(KT_WORD_PROCESS, KT_SOURCE_BOTH);
}

/* Adds two ioctls (1, 2) as both sources record them, and a pinning (9) in the second. */
static void add_ioctls(void)
{
	add(&user, KT_EVENT_BEGIN, 0, 0, NONE);
	add(&kernel, KT_EVENT_BEGIN, 0, 5, NONE);
	add(&kernel, KT_EVENT_OTHER, 1, 10, 1);
	add(&user, KT_EVENT_OTHER, 1, 12, 1);
	add(&kernel, KT_EVENT_KERNEL, 2, 20, 9);
	add(&kernel, KT_EVENT_OTHER, 3, 22, 2);
	add(&user, KT_EVENT_OTHER, 2, 25, 2);
}

static void finish(size_t words)
{
	rig_finish(words);
	CU_ASSERT(kt_collector_totals(rig.collector)->both);
}

static void test_one_word(void)
{
	for (int listening = 0; listening < 2; listening++) {
		rig.listening = listening;
		begin();
		add_ioctls();
		add(&user, KT_EVENT_END, 3, 30, NONE);
		add(&kernel, KT_EVENT_KERNEL, 4, 40, 8);
		add(&kernel, KT_EVENT_END, 5, 50, NONE);
		finish(1);
		rig_expect(0, "trace/unknown.0: 1 9 2 8");
		CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->pins, 2);
		CU_ASSERT_EQUAL(rig_letters_of(kt_collector_word(rig.collector, 0))[1].time,
				USER_ZERO + 20);
		rig_end();
	}
	rig.listening = false;
}

/* Times are of one clock only if both traces say so. */
static void test_clocks(void)
{
	struct kt_origin other = kernel;

	other.clock = 1;
	begin();
	add(&user, KT_EVENT_BEGIN, 0, 0, NONE);
	add(&other, KT_EVENT_BEGIN, 0, 101, NONE);
	add(&user, KT_EVENT_OTHER, 1, 10, 1);
	add(&other, KT_EVENT_KERNEL, 1, 120, 9);
	add(&user, KT_EVENT_OTHER, 2, 30, 2);
	add(&user, KT_EVENT_END, 3, 40, NONE);
	add(&other, KT_EVENT_END, 2, 150, NONE);
	finish(1);
	rig_expect(0, "trace/unknown.0: 1 9 2");
	rig_end();
}

static void test_gaps(void)
{
	begin(); /* the kernel's events 4 and 5 are missing */
	add_ioctls();
	add(&kernel, KT_EVENT_KERNEL, 6, 40, 8);
	add(&user, KT_EVENT_OTHER, 3, 45, 3);
	add(&user, KT_EVENT_END, 4, 50, NONE);
	add(&kernel, KT_EVENT_END, 7, 60, NONE);
	finish(2);
	rig_expect(0, "trace/unknown.0.0 cut-end: 1 9 2");
	rig_expect(1, "trace/unknown.0.1 lost 2 cut-begin: 8 3");
	rig_end();

	begin(); /* events are missing before one that gives no letter */
	add_ioctls();
	add(&kernel, KT_EVENT_OTHER, 5, 40, 3);
	add(&user, KT_EVENT_OTHER, 3, 45, 3);
	add(&user, KT_EVENT_END, 4, 50, NONE);
	add(&kernel, KT_EVENT_END, 6, 60, NONE);
	finish(2);
	rig_expect(1, "trace/unknown.0.1 lost 1 cut-begin: 3");
	rig_end();

	begin(); /* an event of user space is missing */
	add_ioctls();
	add(&kernel, KT_EVENT_KERNEL, 4, 40, 8);
	add(&user, KT_EVENT_OTHER, 4, 45, 3);
	add(&user, KT_EVENT_END, 5, 50, NONE);
	add(&kernel, KT_EVENT_END, 5, 60, NONE);
	finish(2);
	rig_expect(0, "trace/unknown.0.0 cut-end: 1 9 2 8");
	rig_expect(1, "trace/unknown.0.1 lost 1 cut-begin: 3");
	rig_end();

	begin(); /* the kernel stopped recording first */
	add_ioctls();
	add(&user, KT_EVENT_END, 3, 50, NONE);
	finish(1);
	rig_expect(0, "trace/unknown.0 cut-end: 1 9 2");
	rig_end();

	begin(); /* the beginning of user space's events is missing */
	add(&kernel, KT_EVENT_BEGIN, 0, 5, NONE);
	add(&kernel, KT_EVENT_KERNEL, 1, 10, 9);
	add(&user, KT_EVENT_OTHER, 4, 12, 1);
	add(&user, KT_EVENT_END, 5, 50, NONE);
	add(&kernel, KT_EVENT_END, 2, 60, NONE);
	finish(1);
	rig_expect(0, "trace/unknown.0 cut-begin: 1 9");
	rig_end();
}

/* The module was loaded twice, so the kernel has two instances of the process. */
static void test_two_parts(void)
{
	struct kt_origin again = kernel;

	again.trace = 2;
	begin();
	add_ioctls();
	add(&kernel, KT_EVENT_END, 4, 30, NONE);
	add(&again, KT_EVENT_BEGIN, 0, 35, NONE);
	add(&again, KT_EVENT_KERNEL, 1, 40, 8);
	add(&user, KT_EVENT_OTHER, 3, 45, 3);
	add(&user, KT_EVENT_END, 4, 50, NONE);
	add(&again, KT_EVENT_END, 2, 60, NONE);
	finish(1);
	rig_expect(0, "trace/unknown.0: 1 9 2 8 3");
	rig_end();
}

static void test_interrupts(void)
{
	begin();
	add_irq(5, 3, 11, 6); /* the process has not used the device yet */
	add_ioctls();
	add_irq(5, 4, 15, 6);
	add_irq(5, 6, 24, NONE); /* not handled */
	add_irq(5, 5, 23, 6);    /* numbers of two processors, not in order */
	add_irq(6, 70, 24, 5);
	add(&user, KT_EVENT_OTHER, 3, 45, 3);
	add_irq(5, 7, 47, 6); /* after its last use */
	add(&user, KT_EVENT_END, 4, 50, NONE);
	add(&kernel, KT_EVENT_END, 4, 60, NONE);
	finish(1);
	rig_expect(0, "trace/unknown.0: 1 6 9 6 5 2 3");
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->irqs, 3);
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->shared, 0);
	rig_end();

	begin(); /* two interrupts are missing */
	add_irq(5, 3, 11, 6);
	add_ioctls();
	add_irq(5, 6, 24, 6);
	add(&user, KT_EVENT_END, 3, 50, NONE);
	add(&kernel, KT_EVENT_END, 4, 60, NONE);
	finish(2);
	rig_expect(0, "trace/unknown.0.0 cut-end: 1 9");
	rig_expect(1, "trace/unknown.0.1 lost 2 cut-begin: 6 2");
	rig_end();
}

/*
 * Lines with the same number in two traces are two lines. Each trace has its own clock
 * zero.
 */
static void test_lines_of_traces(void)
{
	struct kt_origin other = {.trace = 2, .kernel = true, .clock = CLOCK};
	const struct kt_record record = {
		.seq = 9, .time = 21, .letter = 5, .kind = KT_EVENT_KERNEL};

	begin();
	add_ioctls();
	add_irq(5, 3, 19, 6);
	CU_ASSERT_EQUAL_FATAL(kt_collector_add_irq(rig.collector, &other, 5, &record),
			      KT_OK);
	add_irq(5, 4, 22, 6);
	add(&user, KT_EVENT_END, 3, 50, NONE);
	add(&kernel, KT_EVENT_END, 4, 60, NONE);
	finish(1);
	rig_expect(0, "trace/unknown.0: 1 6 9 5 6 2");
	rig_end();
}

/* Ends the process of add_ioctls(). */
static void add_end(void)
{
	add(&user, KT_EVENT_OTHER, 3, 45, 3);
	add(&user, KT_EVENT_END, 4, 50, NONE);
	add(&kernel, KT_EVENT_END, 4, 60, NONE);
}

/*
 * Missing interrupts are missing in each process that used the device between the two
 * interrupts around them.
 */
static void test_missing_interrupts(void)
{
	struct kt_origin other = user;

	begin(); /* the next interrupt comes after the process's last use */
	add_ioctls();
	add_irq(5, 3, 23, 6);
	add_end();
	add_irq(5, 6, 70, 6);
	finish(1);
	rig_expect(0, "trace/unknown.0 lost 2 cut-end: 1 9 6 2 3");
	rig_end();

	begin(); /* the process has no interrupt of its own */
	add_irq(5, 3, 1, 6);
	add_ioctls();
	add_end();
	add_irq(5, 6, 70, 6);
	finish(1);
	rig_expect(0, "trace/unknown.0 lost 2 cut-end: 1 9 2 3");
	rig_end();

	begin(); /* interrupts are missing before the process, and after it */
	add_irq(5, 3, 1, 6);
	add_irq(5, 6, 11, 6);
	add_ioctls();
	add_irq(5, 7, 23, 6);
	add_end();
	add_irq(5, 8, 46, 6);
	add_irq(5, 9, 70, 6);
	add_irq(5, 20, 71, 6);
	finish(1);
	rig_expect(0, "trace/unknown.0: 1 9 6 2 3");
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->lost, 0);
	rig_end();

	other.pid = 8;
	begin(); /* two processes used the device */
	add_ioctls();
	add_irq(5, 0, 30, 6);
	add(&other, KT_EVENT_OTHER, 0, 40, 4);
	add_irq(5, 3, 42, 6);
	add(&other, KT_EVENT_OTHER, 1, 44, 5);
	add_end();
	finish(4);
	rig_expect(0, "trace/unknown.0.0 cut-end: 1 9 2 6");
	rig_expect(1, "trace/unknown.0.1 lost 2 cut-begin: 3");
	rig_expect(2, "trace/unknown.1.0 cut-end: 4");
	rig_expect(3, "trace/unknown.1.1 lost 2 cut-begin cut-end: 5");
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->shared, 1);
	rig_end();
}

/* Damaged traces state zeros of the clock that are further apart than 2^63 ns. */
static void test_far_zeros(void)
{
	struct kt_origin late = user;
	struct kt_origin early = kernel;

	late.clock_zero = INT64_MAX - 100;
	early.clock_zero = INT64_MIN;
	begin();
	add(&late, KT_EVENT_BEGIN, 0, 0, NONE);
	add(&early, KT_EVENT_BEGIN, 0, 5, NONE);
	add(&late, KT_EVENT_OTHER, 1, 12, 1);
	add(&early, KT_EVENT_KERNEL, 1, 20, 9);
	add(&late, KT_EVENT_OTHER, 2, 25, 2);
	add(&late, KT_EVENT_END, 3, 30, NONE);
	add(&early, KT_EVENT_END, 2, 50, NONE);
	finish(1);
	rig_expect(0, "trace/unknown.0: 1 9 2");
	rig_end();
}

/* Nothing says whose interrupt it is if two processes use the device. */
static void test_shared(void)
{
	struct kt_origin other = user;

	other.pid = 8;
	begin();
	add_ioctls();
	add_irq(5, 0, 30, 6);
	add(&other, KT_EVENT_OTHER, 0, 40, 4);
	add_irq(5, 1, 42, 6);
	add_irq(5, 2, 43, NONE);
	add(&other, KT_EVENT_OTHER, 1, 44, 4);
	add(&user, KT_EVENT_OTHER, 3, 45, 3);
	add(&user, KT_EVENT_END, 4, 50, NONE);
	add(&kernel, KT_EVENT_END, 4, 60, NONE);
	finish(2);
	rig_expect(0, "trace/unknown.0: 1 9 2 6 3");
	rig_expect(1, "trace/unknown.1 cut-end: 4 4");
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->shared, 1);
	rig_end();
}

/* A process that only the kernel recorded has its own word, with interrupts. */
static void test_kernel_alone(void)
{
	struct kt_origin alone = kernel;

	alone.pid = 9;
	begin();
	add_ioctls();
	add(&user, KT_EVENT_END, 3, 50, NONE);
	add(&kernel, KT_EVENT_END, 4, 60, NONE);
	add(&alone, KT_EVENT_BEGIN, 0, 70, NONE);
	add(&alone, KT_EVENT_OTHER, 1, 71, 1);
	add_irq(5, 0, 72, 6);
	add(&alone, KT_EVENT_KERNEL, 2, 73, 9);
	add(&alone, KT_EVENT_END, 3, 74, NONE);
	finish(2);
	rig_expect(0, "trace/unknown.0: 1 9 2");
	rig_expect(1, "trace/unknown.1: 1 6 9");
	CU_ASSERT(kt_collector_keeps_others(rig.collector));
	rig_end();
}

static void refused(const char *message)
{
	CU_ASSERT_EQUAL(kt_collector_finish(rig.collector), KT_E_USAGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(kt_error_message(), message));
	rig_end();
}

static void test_refused(void)
{
	struct kt_origin other = kernel;

	begin();
	add(&user, KT_EVENT_OTHER, 0, 10, 1);
	refused("no events of the kernel");
	begin();
	add(&kernel, KT_EVENT_OTHER, 0, 10, 1);
	refused("no events of user space");
	other.pid = 8;
	begin();
	add(&user, KT_EVENT_OTHER, 0, 10, 1);
	add(&other, KT_EVENT_OTHER, 0, 10, 1);
	refused("no process was recorded both");
	begin(); /* no events at all */
	finish(0);
	rig_end();
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"one word", test_one_word},
		{"clocks", test_clocks},
		{"gaps", test_gaps},
		{"two parts", test_two_parts},
		{"interrupts", test_interrupts},
		{"lines of traces", test_lines_of_traces},
		{"missing interrupts", test_missing_interrupts},
		{"far zeros", test_far_zeros},
		{"several processes", test_shared},
		{"the kernel alone", test_kernel_alone},
		{"refused", test_refused},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("both sources", tests);
}
