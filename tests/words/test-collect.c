/* SPDX-License-Identifier: MIT */
/*
 * Tests the collector with records: process instances, gaps, runs, threads. Each test runs
 * twice: the collector keeps the records, or passes them to a listener that stores them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/split/trace-filter.h"
#include "tests/suite.h"
#include "tests/words/collect-rig.h"

static void test_whole(void)
{
	rig_begin();
	rig_add_begin(7, "app");
	rig_add(7, 1, NONE);
	rig_add(7, 2, 5);
	rig_add_begin(8, "app");
	rig_add(7, 3, 6);
	rig_add(8, 1, 9);
	rig_add_end(7, 4);
	rig_add_end(8, 2);
	rig_add_begin(9, "idle");
	rig_add_end(9, 1);
	rig_add_begin(10, "app");
	rig_add(10, 1, 1);
	rig_finish(3);
	rig_expect(0, "trace/app.0: 5 6");
	rig_expect(1, "trace/app.1: 9");
	rig_expect(2, "trace/app.2 cut-end: 1");
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->processes, 4);
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->events, 12);
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->cut_ends, 1);
	CU_ASSERT_PTR_NULL(kt_collector_word(rig.collector, 3));
	rig_end();
}

static void test_out_of_order(void)
{
	rig_begin();
	rig_add_begin(7, "app");
	rig_add(7, 3, 3);
	rig_add(7, 1, 1);
	rig_add_end(7, 5);
	rig_add(7, 2, 2);
	rig_add(7, 4, 4);
	rig_finish(1);
	rig_expect(0, "trace/app.0: 1 2 3 4");
	rig_end();
}

/* At a cut no event is missing, but words end and runs begin anew. */
static void test_cuts(void)
{
	const struct kt_origin origin = {.pid = 1};

	rig_begin();
	rig_add_begin(1, "a");
	rig_add(1, 1, 1);
	rig_add_access(1, 2, KT_RUN_OPEN, 4, 2);
	rig_add_record(origin,
		       (struct kt_record){
			       .seq = 3, .tid = 1, .letter = NONE, .kind = KT_EVENT_CUT});
	rig_add_access(1, 4, KT_RUN_OPEN, 4, 2);
	rig_add_access(1, 5, KT_RUN_OPEN, 4, 2);
	rig_add_end(1, 6);
	rig_finish(2);
	rig_expect(0, "trace/a.0.0 cut-end: 1 2");
	rig_expect(1, "trace/a.0.1 cut-begin: 2");
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->lost, 0);
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->truncated, 0);
	rig_end();
}

static void test_gaps(void)
{
	rig_begin();
	rig_add_begin(7, "app");
	rig_add(7, 1, 1);
	rig_add(7, 4, 2);
	rig_add(7, 5, 3);
	/*
	 * This part has no letters, so it is dropped, and its loss goes to the next word.
	 */
	rig_add(7, 10, NONE);
	rig_add(7, 12, 4);
	rig_add(7, 20, NONE); /* no letters follow, so the last word gets the loss */
	rig_add_end(7, 21);
	rig_finish(3);
	rig_expect(0, "trace/app.0.0 cut-end: 1");
	rig_expect(1, "trace/app.0.1 lost 2 cut-begin cut-end: 2 3");
	rig_expect(2, "trace/app.0.2 lost 12 cut-begin cut-end: 4");
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->lost, 14);
	rig_end();

	rig_begin();
	rig_add_begin(7, "app"); /* a part without letters, which is dropped */
	rig_add(7, 3, 1);
	rig_add_end(7, 4);
	rig_finish(1);
	rig_expect(0, "trace/app.0 lost 2 cut-begin: 1");
	rig_end();
}

static void test_late(void)
{
	rig_begin();
	rig_add(7, 102, 2); /* the recorder was attached late; the first two events are out
			     * of order */
	rig_add(7, 101, 1);
	rig_add_end(7, 103);
	rig_finish(1);
	rig_expect(0, "trace/unknown.0 cut-begin: 1 2");
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->lost, 0);
	rig_end();
}

static void test_exec(void)
{
	rig_begin();
	rig_add_begin(7, "sh");
	rig_add(7, 1, 1);
	rig_add_end(7, 2);
	rig_add_begin(7, "app");
	rig_add(7, 1, 2);
	rig_add_end(7, 2);
	rig_finish(2);
	rig_expect(0, "trace/sh.0: 1");
	rig_expect(1, "trace/app.0: 2");
	rig_end();

	rig_begin(); /* the exec fails, so the process goes on */
	rig_add_begin(7, "sh");
	rig_add(7, 1, 1);
	rig_add_end(7, 2);
	rig_add(7, 3, 2);
	rig_finish(1);
	rig_expect(0, "trace/sh.0 cut-end: 1 2");
	rig_end();
}

static void test_pid_used_again(void)
{
	rig_begin();
	rig_add_begin(7, "one");
	rig_add(7, 1, 1);
	rig_add_begin(7, "two"); /* the first instance was killed */
	rig_add(7, 1, 2);
	rig_add_end(7, 2);
	rig_add(7, 1, 3); /* a third instance, whose beginning was lost */
	rig_add_end(7, 2);
	rig_finish(3);
	rig_expect(0, "trace/one.0 cut-end: 1");
	rig_expect(1, "trace/two.0: 2");
	rig_expect(2, "trace/unknown.0 cut-begin: 3");
	rig_end();

	rig_begin();
	rig_add(7, 100, 1);
	rig_add_end(7, 101);
	/* This event precedes the first one, so it belongs to another instance. */
	rig_add(7, 3, 2);
	rig_finish(2);
	rig_expect(0, "trace/unknown.0 cut-begin: 1");
	rig_expect(1, "trace/unknown.1 cut-begin cut-end: 2");
	rig_end();
}

enum { R = 0, W = 1, OTHER = 2, R2 = 3, W2 = 4 };

static void test_runs(void)
{
	uint64_t seq = 0;

	rig_begin();
	rig_add_begin(1, "app");
	rig_add_access(1, ++seq, KT_RUN_OPEN, 1, R);
	rig_add_access(1, ++seq, KT_RUN_OPEN, 1, R);
	rig_add_access(1, ++seq, KT_RUN_ONCE, 1, W);
	rig_add_access(1, ++seq, KT_RUN_OPEN, 1, R);
	rig_add_access(1, ++seq, KT_RUN_ONCE, 1, W); /* letters so far: R W */
	rig_add_access(1, ++seq, KT_RUN_ONCE, 2, W2);
	rig_add_access(1, ++seq, KT_RUN_OPEN, 2, R2); /* a write began the run: no letter */
	rig_add(1, ++seq, NONE);                      /* not a letter, so the run goes on */
	rig_add_access(1, ++seq, KT_RUN_ONCE, 2, W2);
	/* The access is to the first mapping again, so it begins a new run. */
	rig_add_access(1, ++seq, KT_RUN_ONCE, 1, W);
	rig_add(1, ++seq, OTHER); /* a letter ends the run */
	rig_add_access(1, ++seq, KT_RUN_OPEN, 1, R);
	seq++; /* a gap also ends the run */
	rig_add_access(1, ++seq, KT_RUN_OPEN, 1, R);
	rig_add_end(1, ++seq);
	rig_finish(2);
	rig_expect(0, "trace/app.0.0 cut-end: 0 1 4 1 2 0");
	rig_expect(1, "trace/app.0.1 lost 1 cut-begin: 0");
	rig_end();
}

static void test_threads(void)
{
	rig_begin_unit(KT_WORD_THREAD, KT_SOURCE_USER);
	rig_add_begin(1, "app");
	rig_add_access(1, 1, KT_RUN_OPEN, 1, R);
	rig_add_access(2, 2, KT_RUN_OPEN, 1, R); /* the same run, in another thread */
	rig_add_access(2, 3, KT_RUN_ONCE, 1, W);
	rig_add_access(1, 4, KT_RUN_ONCE, 1, W);
	rig_add_access(3, 5, KT_RUN_NONE, 0, OTHER);
	rig_add_access(1, 9, KT_RUN_NONE, 0, OTHER);
	rig_add_access(4, 10, KT_RUN_NONE, 0, OTHER);
	rig_add_end(1, 11);
	rig_finish(5);
	rig_expect(0, "trace/app.0.t0.0 cut-end: 0");
	rig_expect(1, "trace/app.0.t0.1 lost 3 cut-begin: 2");
	rig_expect(2, "trace/app.0.t1 cut-end: 1");
	rig_expect(3, "trace/app.0.t2 cut-end: 2");
	rig_expect(4, "trace/app.0.t3 lost 3 cut-begin: 2");
	rig_end();

	rig_begin_unit(KT_WORD_THREAD, KT_SOURCE_USER);
	rig_add_begin(1, "app");
	for (uint32_t i = 0; i < 1000; i++) {
		rig_add_access(1000 + i % 500, 1 + i, KT_RUN_NONE, 0, i);
	}
	rig_add_end(1, 1001);
	rig_finish(500);
	rig_expect(0, "trace/app.0.t1: 0 500");
	rig_expect(499, "trace/app.0.t500: 499 999");
	rig_end();
}

static void test_sources(void)
{
	rig_begin_unit(KT_WORD_PROCESS, KT_SOURCE_USER);
	rig_add_both();
	rig_finish(2);
	rig_expect(0, "trace/app.0: 1");
	rig_expect(1, "trace/unknown.0 cut-begin cut-end: 3 4");
	rig_end();
	rig_begin_unit(KT_WORD_PROCESS, KT_SOURCE_KERNEL);
	rig_add_both();
	rig_finish(2);
	rig_expect(0, "trace/unknown.0 cut-begin cut-end: 2");
	rig_expect(1, "trace/unknown.1 cut-begin cut-end: 3 4");
	rig_end();
}

/* Two traces each have a process 7 at the same time. */
static void test_traces(void)
{
	enum { ONE = 1, TWO = 2 };

	rig_begin();
	for (uint32_t seq = 0; seq < 4; seq++) {
		for (uint32_t trace = 1; trace <= 2; trace++) {
			enum kt_event_kind kind = seq == 0   ? KT_EVENT_BEGIN
						  : seq == 3 ? KT_EVENT_END
							     : KT_EVENT_OTHER;

			rig_add_record(
				(struct kt_origin){.pid = 7, .trace = trace},
				(struct kt_record){.seq = seq,
						   .letter = kind ? NONE : 10 * trace + seq,
						   .kind = kind});
			if (seq == 0) {
				kt_instance_name(kt_collector_instance(rig.collector),
						 trace == 1 ? "one" : "two", true);
			}
		}
	}
	rig_finish(2);
	rig_expect(0, "trace/one.0: 11 12");
	rig_expect(1, "trace/two.0: 21 22");
	rig_end();

	/*
	 * Events from user space and the kernel are paired if their pid and host are equal.
	 */
	rig_begin();
	rig_add_record((struct kt_origin){.pid = 7, .host = ONE},
		       (struct kt_record){.letter = 1});
	rig_add_record(
		(struct kt_origin){.pid = 7, .trace = 1, .host = ONE, .kernel = true},
		(struct kt_record){.letter = 2});
	rig_add_record(
		(struct kt_origin){.pid = 7, .trace = 2, .host = TWO, .kernel = true},
		(struct kt_record){.letter = 3});
	rig_add_record((struct kt_origin){.pid = 7, .host = ONE},
		       (struct kt_record){.seq = 1, .letter = 4});
	kt_collector_name_pid(rig.collector,
			      &(struct kt_origin){.pid = 7, .trace = 3, .host = TWO},
			      "dumped");
	rig_finish(2);
	rig_expect(0, "trace/unknown.0 cut-end: 1 4");
	rig_expect(1, "trace/dumped.0 cut-end: 3");
	rig_end();
}

/* --- processes of other pid namespaces --- */

static void add_source(bool kernel, uint32_t pid, uint32_t vpid, const char *name,
		       uint32_t letter)
{
	const struct kt_origin origin = {.pid = pid, .trace = kernel, .kernel = kernel};

	rig_add_record(origin, (struct kt_record){.letter = NONE, .kind = KT_EVENT_BEGIN});
	if (vpid) {
		kt_collector_instance(rig.collector)->vpid = vpid;
	}
	kt_instance_name(kt_collector_instance(rig.collector), name, true);
	rig_add_record(origin, (struct kt_record){.seq = 1, .letter = letter});
}

static void end_source(bool kernel, uint32_t pid)
{
	rig_add_record((struct kt_origin){.pid = pid, .trace = kernel, .kernel = kernel},
		       (struct kt_record){.seq = 2, .letter = NONE, .kind = KT_EVENT_END});
}

/*
 * Two containers have a process 7 each, one of which is also recorded from user space; the
 * host has a process 7 of its own. User space also recorded a process 901 of some
 * container, which is not the host's 901.
 */
static void add_containers(void)
{
	add_source(true, 900, 7, "other", 1);
	add_source(true, 901, 7, "app", 2);
	add_source(true, 7, 7, "host", 3);
	add_source(false, 7, 0, "app", 4);
	add_source(false, 901, 0, "shell", 5);
	end_source(false, 901);
	end_source(false, 7);
	end_source(true, 7);
	end_source(true, 901);
	end_source(true, 900);
}

static void test_namespaces(void)
{
	rig_begin();
	add_containers();
	rig_finish(4);
	rig_expect(0, "trace/other.0: 1");
	rig_expect(1, "trace/host.0: 3");
	rig_expect(2, "trace/app.0: 4");
	rig_expect(3, "trace/shell.0: 5");
	rig_end();

	rig_begin_unit(KT_WORD_PROCESS, KT_SOURCE_KERNEL);
	add_containers();
	rig_finish(4);
	rig_expect(0, "trace/other.0: 1");
	rig_expect(1, "trace/app.0: 2");
	rig_expect(2, "trace/host.0: 3");
	rig_expect(3, "trace/shell.0: 5");
	rig_end();
}

/*
 * Three process instances have the same pid in a namespace; two of them are recorded from
 * both sources.
 */
static void test_instances_of_namespaces(void)
{
	rig_begin();
	for (uint32_t i = 0; i < 3; i++) {
		add_source(true, 900 + i, 7, "app", 10 + i);
		if (i < 2) {
			add_source(false, 7, 0, "app", i);
			end_source(false, 7);
		}
		end_source(true, 900 + i);
	}
	rig_finish(3);
	rig_expect(0, "trace/app.0: 0");
	rig_expect(1, "trace/app.1: 1");
	rig_expect(2, "trace/app.2: 12");
	rig_end();
}

static void test_names(void)
{
	rig_begin();
	CU_ASSERT_PTR_NULL(kt_collector_instance(rig.collector));
	rig_add(1, 5, 1);
	CU_ASSERT_PTR_NULL(kt_collector_instance(rig.collector)->name);
	kt_instance_name(kt_collector_instance(rig.collector), "context", false);
	CU_ASSERT_STRING_EQUAL(kt_collector_instance(rig.collector)->name, "context");
	kt_instance_name(kt_collector_instance(rig.collector), "later", false);
	rig_add(2, 5, 1);
	kt_collector_name_pid(rig.collector, &(struct kt_origin){.pid = 2, .trace = 1},
			      "elsewhere");
	kt_collector_name_pid(rig.collector, &(struct kt_origin){.pid = 2}, "dumped");
	kt_collector_name_pid(rig.collector, &(struct kt_origin){.pid = 2}, "again");
	rig_add_begin(3, "a\nb\xff\xc2\x80\xc3\xa9");
	rig_add(3, 1, 1);
	rig_add_begin(4, "");
	rig_add(4, 1, 1);
	rig_finish(4);
	rig_expect(0, "trace/context.0 cut-begin cut-end: 1");
	rig_expect(1, "trace/dumped.0 cut-begin cut-end: 1");
	rig_expect(2, "trace/a?b???\xc3\xa9.0 cut-end: 1");
	rig_expect(3, "trace/unknown.0 cut-end: 1");
	rig_end();
}

/* Events in a random order within a window give the same words as in order. */
static void test_shuffled(void)
{
	enum { N = 3000 };
	static uint64_t seqs[N];
	uint64_t seed = 1;
	size_t n = 0;

	rig_begin();
	for (uint64_t seq = 1; n < N; seq++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		if (seed >> 60 != 0) {
			seqs[n++] = seq;
		}
	}
	for (size_t i = 0; i + 20 < N; i++) {
		size_t j = i + (size_t)(seed >> 33) % 20;
		uint64_t swap = seqs[i];

		seqs[i] = seqs[j];
		seqs[j] = swap;
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	}
	rig_add_begin(7, "app");
	for (size_t i = 0; i < N; i++) {
		rig_add(7, seqs[i], (uint32_t)seqs[i]);
	}
	CU_ASSERT_EQUAL_FATAL(kt_collector_finish(rig.collector), KT_OK);
	n = 0;
	for (size_t i = 0; i < kt_collector_count(rig.collector); i++) {
		const struct kt_collected_word *w = kt_collector_word(rig.collector, i);
		const struct kt_record *letters = rig_letters_of(w);

		for (size_t j = 0; j < w->n; j++, n++) {
			CU_ASSERT_EQUAL(letters[j].letter, letters[j].seq);
			CU_ASSERT_TRUE(j == 0 || letters[j].seq == letters[j - 1].seq + 1);
		}
		CU_ASSERT_TRUE(i == 0 || w->info.lost > 0);
	}
	CU_ASSERT_EQUAL(n, N);
	rig_end();
}

/* The events of a long process instance arrive in reverse order, after its beginning. */
static void test_backwards(void)
{
	rig_begin();
	rig_add_begin(7, "app");
	for (uint32_t i = 4000; i > 0; i--) {
		rig_add(7, i, i);
	}
	rig_finish(1);
	CU_ASSERT_EQUAL(kt_collector_word(rig.collector, 0)->n, 4000);
	CU_ASSERT_EQUAL(rig_letters_of(kt_collector_word(rig.collector, 0))[3999].letter,
			4000);
	rig_end();
}

static void add_call(uint64_t seq, enum kt_event_kind kind)
{
	rig_add_record(
		(struct kt_origin){.pid = 7},
		(struct kt_record){
			.seq = seq, .tid = 7, .letter = NONE, .mapping = 1, .kind = kind});
}

/*
 * A word that a gap ends is truncated, whatever follows the gap. A word that begins and
 * ends with a phase is not truncated.
 */
static void test_phases(void)
{
	struct kt_trace_filter filter = {.phase = "USE"};

	CU_ASSERT_EQUAL_FATAL(kt_trace_filter_settle(&filter), KT_OK);
	rig_begin_unit(KT_WORD_THREAD, KT_SOURCE_USER);
	kt_collector_select(rig.collector, &filter);
	rig_add_begin(7, "app");
	add_call(1, KT_EVENT_ENTER);
	rig_add(7, 2, 5);
	rig_add(7, 3, 6);
	add_call(6, KT_EVENT_ENTER_OTHER);
	rig_add(7, 7, 7);
	add_call(8, KT_EVENT_RETURN);
	add_call(9, KT_EVENT_ENTER);
	rig_add(7, 10, 8);
	add_call(11, KT_EVENT_RETURN);
	add_call(12, KT_EVENT_ENTER_OTHER);
	add_call(13, KT_EVENT_RETURN);
	rig_add_end(7, 14);
	rig_finish(2);
	rig_expect(0, "trace/app.0.t0.0 cut-begin cut-end: 5 6");
	rig_expect(1, "trace/app.0.t0.1 lost 2 cut-begin cut-end: 8");
	CU_ASSERT_EQUAL(kt_collector_totals(rig.collector)->truncated, 1);
	rig_end();
	kt_trace_filter_clear(&filter);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"whole processes", test_whole},
		{"out of order", test_out_of_order},
		{"gaps", test_gaps},
		{"cuts", test_cuts},
		{"attached late", test_late},
		{"exec", test_exec},
		{"a pid used again", test_pid_used_again},
		{"runs of accesses", test_runs},
		{"threads", test_threads},
		{"user and kernel events", test_sources},
		{"other pid namespaces", test_namespaces},
		{"process instances of other pid namespaces", test_instances_of_namespaces},
		{"several traces", test_traces},
		{"names", test_names},
		{"shuffled", test_shuffled},
		{"backwards", test_backwards},
		{"phases", test_phases},
		CU_TEST_INFO_NULL,
	};
	int status = kt_run_suite("collect", tests);

	rig.listening = true;
	return status | kt_run_suite("collect, with a listener", tests);
}
