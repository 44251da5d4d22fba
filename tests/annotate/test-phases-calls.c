/* SPDX-License-Identifier: MIT */
/*
 * Tests phases by API calls: those of letters within and around calls, and their comparison
 * with phases by structure.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/phases/phases-calls.h"
#include "annotate/phases/phases.h"
#include "tests/suite.h"

#define LETTERS_MAX 64

/* The phase of each letter, by `seq`: C, I, U, D or -. */
static char phases[LETTERS_MAX];
static struct kt_course course;
static uint64_t seq;
static uint64_t now;
static uint64_t call_id;

static int take(void *context, const struct kt_course_letter *letter, const char *process,
		enum kt_api_phase phase)
{
	(void)context;
	CU_ASSERT_STRING_EQUAL(process, "app");
	phases[letter->seq] = kt_api_phase_name(phase)[0];
	return KT_OK;
}

static void begin(void)
{
	course = (struct kt_course){.each = take};
	memset(phases, 0, sizeof(phases));
	seq = 0;
	now = 0;
}

static struct kt_moment moment_in(uint64_t instance, const struct kt_activity_call *call)
{
	return (struct kt_moment){.time = ++now,
				  .pid = 7,
				  .tid = 7,
				  .instance = instance,
				  .process = "app",
				  .seq = now,
				  .call = call};
}

static struct kt_activity_call enter_in(uint64_t instance, const char *name,
					const struct kt_activity_call *outer)
{
	struct kt_activity_call call = {.id = ++call_id,
					.name = name,
					.function = kt_api_function_find(name),
					.outer = outer};
	const struct kt_moment moment = moment_in(instance, &call);

	CU_ASSERT_EQUAL(kt_course_event(&course, &moment), KT_OK);
	CU_ASSERT_EQUAL(kt_course_enter(&course, &moment, &call), KT_OK);
	return call;
}

static void letter_in(uint64_t instance, const struct kt_activity_call *call)
{
	const struct kt_moment moment = moment_in(instance, call);
	const struct kt_course_letter letter = {.seq = seq++,
						.time = moment.time,
						.structure = KT_API_PHASE_USE,
						.name = call ? call->name : NULL};

	CU_ASSERT_EQUAL(kt_course_event(&course, &moment), KT_OK);
	CU_ASSERT_EQUAL(kt_course_letter(&course, &moment, &letter), KT_OK);
}

static void end_of(uint64_t instance)
{
	const struct kt_moment moment = moment_in(instance, NULL);

	CU_ASSERT_EQUAL(kt_course_end(&course, &moment), KT_OK);
}

/* Adds a letter in a new call of the function. */
static void call_with_letter(const char *name)
{
	struct kt_activity_call call = enter_in(0, name, NULL);

	letter_in(0, &call);
}

static void check(const char *expected)
{
	CU_ASSERT_EQUAL(kt_course_finish_trace(&course), KT_OK);
	CU_ASSERT_STRING_EQUAL(phases, expected);
}

static void test_around(void)
{
	begin();
	letter_in(0, NULL);
	call_with_letter("cuDeviceGetCount");
	call_with_letter("cuInit");
	letter_in(0, NULL);
	call_with_letter("cuMemAlloc_v2");
	letter_in(0, NULL);
	call_with_letter("cuDeviceGetAttribute");
	call_with_letter("cuMemcpyHtoD_v2");
	letter_in(0, NULL);
	call_with_letter("cuMemFree_v2");
	letter_in(0, NULL);
	end_of(0);
	letter_in(0, NULL);
	check("CCCCIIIUUDDD");
	CU_ASSERT_EQUAL_FATAL(course.n_pieces, 4);
	CU_ASSERT_EQUAL(course.pieces[0].phase, KT_API_PHASE_CREATE);
	CU_ASSERT_EQUAL(course.pieces[1].letters, 3);
	CU_ASSERT_EQUAL(course.pieces[2].n_calls, 2);
	CU_ASSERT_STRING_EQUAL(course.pieces[2].calls[0].name, "cuMemcpyHtoD_v2");
	CU_ASSERT_EQUAL(course.pieces[2].calls[0].structure[KT_API_PHASE_USE], 1);
	CU_ASSERT_PTR_NULL(course.pieces[2].calls[1].name);
	kt_course_clear(&course);
}

/*
 * Letters after the last call are teardown, but only if the process is known to have
 * ended.
 */
static void test_after_last_call(void)
{
	begin();
	call_with_letter("cuLaunchKernel");
	letter_in(0, NULL);
	check("UU");
	kt_course_clear(&course);
	begin();
	call_with_letter("cuLaunchKernel");
	letter_in(0, NULL);
	end_of(0);
	check("UD");
	kt_course_clear(&course);
}

/* A letter has the phase of the innermost call that has one. */
static void test_nested(void)
{
	struct kt_activity_call outer;
	struct kt_activity_call inner;

	begin();
	outer = enter_in(0, "cudaMalloc", NULL);
	letter_in(0, &outer);
	inner = enter_in(0, "cuDevicePrimaryCtxRetain", &outer);
	letter_in(0, &inner);
	inner = enter_in(0, "cuCtxGetCurrent", &outer);
	letter_in(0, &inner);
	letter_in(0, &outer);
	check("ICII");
	CU_ASSERT_EQUAL(course.n_pieces, 3);
	kt_course_clear(&course);
}

/* Processes do not affect each other; a process without calls has no phases by calls. */
static void test_processes(void)
{
	begin();
	letter_in(1, NULL);
	call_with_letter("cuMemFree_v2");
	letter_in(1, NULL);
	letter_in(0, NULL);
	end_of(1);
	check("-D-D");
	CU_ASSERT_EQUAL(course.trace, 1);
	kt_course_clear(&course);
}

/* --- against the structure --- */

static void test_check(void)
{
	struct kt_fsm_state states[4] = {0};
	struct kt_fsm_transition transitions[] = {
		{.from = 0, .to = 1}, {.from = 1, .to = 2}, {.from = 2, .to = 3}};
	struct kt_fsm fsm = {.states = states,
			     .n_states = 4,
			     .transitions = transitions,
			     .n_transitions = 3};
	enum kt_api_phase of_states[] = {KT_API_PHASE_CREATE, KT_API_PHASE_USE,
					 KT_API_PHASE_USE, KT_API_PHASE_NONE};
	enum kt_api_phase of_transitions[] = {KT_API_PHASE_USE, KT_API_PHASE_USE,
					      KT_API_PHASE_NONE};
	const struct kt_structure structure = {.states = of_states,
					       .transitions = of_transitions};
	struct kt_phase_check check_of;

	CU_ASSERT_EQUAL_FATAL(kt_phase_check_begin(&check_of, &fsm, &structure), KT_OK);
	kt_phase_check_letter(&check_of, &fsm, 0, KT_API_PHASE_CREATE);
	kt_phase_check_letter(&check_of, &fsm, 0, KT_API_PHASE_CREATE);
	kt_phase_check_letter(&check_of, &fsm, 0, KT_API_PHASE_USE);
	kt_phase_check_letter(&check_of, &fsm, 1, KT_API_PHASE_CREATE);
	kt_phase_check_letter(&check_of, &fsm, 1, KT_API_PHASE_INIT);
	kt_phase_check_letter(&check_of, &fsm, 2, KT_API_PHASE_DESTROY);
	kt_phase_check_settle(&check_of);
	/* No letter leads to the start, so calls give no phase for the start. */
	CU_ASSERT_EQUAL(check_of.states[0].taken, KT_API_PHASE_CREATE);
	CU_ASSERT_FALSE(kt_phase_disagrees(&check_of.states[0]));
	/* One letter with the phase by structure, USE, suffices for that phase. */
	CU_ASSERT_EQUAL(check_of.states[1].calls, KT_API_PHASE_CREATE);
	CU_ASSERT_EQUAL(check_of.states[1].taken, KT_API_PHASE_USE);
	CU_ASSERT(kt_phase_disagrees(&check_of.states[1]));
	/*
	 * No letter has the phase by structure, USE, so the calls decide; of two equally
	 * frequent phases, the later one is taken.
	 */
	CU_ASSERT_EQUAL(check_of.states[2].taken, KT_API_PHASE_INIT);
	/* The structure gives no phase, so the phase by calls is taken. */
	CU_ASSERT_EQUAL(check_of.states[3].taken, KT_API_PHASE_DESTROY);
	CU_ASSERT_EQUAL(check_of.letters.cells[KT_API_PHASE_USE][KT_API_PHASE_CREATE], 3);
	CU_ASSERT_EQUAL(check_of.taken_letters.cells[KT_API_PHASE_INIT][KT_API_PHASE_INIT],
			1);
	kt_phase_check_clear(&check_of);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"around calls", test_around},
		{"after the last call", test_after_last_call},
		{"calls in calls", test_nested},
		{"processes", test_processes},
		{"against the structure", test_check},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("phases from calls", tests);
}
