/* SPDX-License-Identifier: MIT */
/*
 * Tests figures of calls: random nested calls against a slow count that reads the whole
 * history for each function; copies, sizes, quantiles and the cost of launches by hand.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/calls/call-figures.h"
#include "annotate/stats/launch-cost.h"
#include "decode/api-functions.h"
#include "tests/suite.h"

#define CALLS 400
#define NAMES 5
#define DEPTH 4

static const char *const names[NAMES] = {"cuInit", "cuMemcpyHtoD_v2", "cuLaunchKernel",
					 "cuGraphLaunch", "myOwn"};

/* Returns a pseudo-random number; the sequence is the same on each run. */
static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

/* An event of the history: a call begins or returns, or something happens in it. */
struct happening {
	enum { ENTER, EXIT, IOCTL, DOORBELL, SUBMISSION } kind;
	const struct kt_activity_call *call; /* NULL: outside of calls */
	uint64_t number;                     /* IOCTL: ns; SUBMISSION: dwords */
};

struct story {
	struct kt_activity_call calls[CALLS];
	size_t n_calls;
	struct happening happenings[8 * CALLS];
	size_t n;
};

static void note(struct story *s, int kind, const struct kt_activity_call *call,
		 uint64_t number)
{
	s->happenings[s->n].kind = kind;
	s->happenings[s->n].call = call;
	s->happenings[s->n++].number = number;
}

/* Makes a random history of two threads with nested calls, some of which never return. */
static void make_up(struct story *s, uint32_t seed)
{
	struct kt_activity_call *stack[2][DEPTH] = {{NULL}};
	size_t depth[2] = {0, 0};
	uint32_t state = seed;

	memset(s, 0, sizeof(*s));
	while (s->n_calls < CALLS && s->n < 6 * CALLS) {
		size_t thread = next(&state) % 2;
		size_t d = depth[thread];
		struct kt_activity_call *top = d ? stack[thread][d - 1] : NULL;
		uint32_t what = next(&state) % 6;

		if (what < 2 && d < DEPTH) {
			struct kt_activity_call *call = &s->calls[s->n_calls++];

			*call = (struct kt_activity_call){
				.id = s->n_calls,
				.api = "driver",
				.name = names[next(&state) % NAMES],
				.outer = top};
			note(s, ENTER, call, 0);
			stack[thread][depth[thread]++] = call;
		} else if (what == 2 && top) {
			top->returned = next(&state) % 10 > 0;
			top->known = top->returned;
			top->result = next(&state) % 4 == 0 ? 600 : next(&state) % 3 == 0;
			/* A call lasts longer than all calls in it together. */
			top->duration += top->returned ? 10 + next(&state) % 100 : 0;
			if (d > 1) {
				stack[thread][d - 2]->duration += top->duration;
			}
			note(s, EXIT, top, 0);
			depth[thread]--;
		} else if (what > 2) {
			note(s, IOCTL + (int)what - 3, top, next(&state) % 1000);
		}
	}
	/* A call that has not returned has no time. */
	for (size_t i = 0; i < s->n_calls; i++) {
		s->calls[i].duration = s->calls[i].returned ? s->calls[i].duration : 0;
	}
}

static int feed_one(const struct kt_activity_visitor *v, void *context,
		    const struct happening *h)
{
	const struct kt_moment moment = {.call = h->call};
	const struct kt_call ioctl = {.duration = h->number, .error = h->number % 7 == 0};
	const struct kt_doorbell_fields doorbell = {.known = true};
	const struct kt_submission submission = {.number = 1};
	const struct kt_work work = {.words = h->number, .launches = 2, .entries = 1};

	switch (h->kind) {
	case ENTER: return v->call_enter(context, &moment, h->call);
	case EXIT: return v->call_exit(context, &moment, h->call);
	case IOCTL: return v->ioctl ? v->ioctl(context, &moment, &ioctl) : KT_OK;
	case DOORBELL: return v->doorbell(context, &moment, &doorbell);
	case SUBMISSION: break;
	}
	return v->submission(context, &moment, &submission, &work);
}

static void feed(const struct kt_activity_visitor *v, void *context, const struct story *s)
{
	for (size_t i = 0; i < s->n; i++) {
		CU_ASSERT_EQUAL(feed_one(v, context, &s->happenings[i]), KT_OK);
	}
}

static const struct kt_activity_call *counted(const struct kt_activity_call *call,
					      bool outer)
{
	while (outer && call && call->outer) {
		call = call->outer;
	}
	return call;
}

/*
 * Returns the time of the returned calls within `call` that are in no other returned call
 * within it.
 */
static uint64_t time_inside(const struct story *s, const struct kt_activity_call *call)
{
	uint64_t time = 0;

	for (size_t i = 0; i < s->n_calls; i++) {
		const struct kt_activity_call *inner = &s->calls[i];
		const struct kt_activity_call *outer = inner->outer;

		while (outer && outer != call && !outer->returned) {
			outer = outer->outer;
		}
		time += inner->returned && outer == call ? inner->duration : 0;
	}
	return time;
}

/* Counts the figures of one function; the name "" stands for events outside of calls. */
static struct kt_figures count_slowly(const struct story *s, const char *name, bool outer)
{
	struct kt_figures f = {.given_up = 0};

	for (size_t i = 0; i < s->n; i++) {
		const struct happening *h = &s->happenings[i];
		const struct kt_activity_call *call = counted(h->call, outer);

		if (strcmp(call ? call->name : "", name) != 0 ||
		    ((h->kind == ENTER || h->kind == EXIT) && call != h->call)) {
			continue;
		}
		f.n[KT_FIGURE_CALLS] += h->kind == ENTER;
		f.n[KT_FIGURE_IOCTLS] += h->kind == IOCTL;
		f.n[KT_FIGURE_IOCTL_TIME] += h->kind == IOCTL ? h->number : 0;
		f.n[KT_FIGURE_FAILED_IOCTLS] += h->kind == IOCTL && h->number % 7 == 0;
		f.n[KT_FIGURE_DOORBELLS] += h->kind == DOORBELL;
		f.n[KT_FIGURE_SUBMISSIONS] += h->kind == SUBMISSION;
		f.n[KT_FIGURE_ENTRIES] += h->kind == SUBMISSION;
		f.n[KT_FIGURE_BYTES] += h->kind == SUBMISSION ? 4 * h->number : 0;
		f.n[KT_FIGURE_LAUNCHES] += h->kind == SUBMISSION ? 2 : 0;
		if (h->kind == EXIT) {
			f.n[KT_FIGURE_ERRORS] += call->known && call->result == 1;
			f.n[KT_FIGURE_UNRETURNED] += !call->returned;
			f.n[KT_FIGURE_TIME] += call->duration;
			f.n[KT_FIGURE_SELF] +=
				call->duration -
				(outer || !call->returned ? 0 : time_inside(s, call));
		}
	}
	return f;
}

static void expect_story(const struct story *s, bool outer)
{
	struct kt_call_figures figures = {.outer = outer};
	struct kt_figures sum;
	struct kt_figures slow = {.given_up = 0};

	feed(&kt_call_figures_visitor, &figures, s);
	for (size_t i = 0; i < figures.rows.n; i++) {
		const struct kt_figure_row *row = &figures.rows.rows[i];
		struct kt_figures one = count_slowly(s, row->name, outer);

		CU_ASSERT_EQUAL(memcmp(&one, &row->figures, sizeof(one)), 0);
		CU_ASSERT_EQUAL(row->n_times + one.n[KT_FIGURE_UNRETURNED] <=
					one.n[KT_FIGURE_CALLS],
				true);
	}
	for (size_t i = 0; i <= NAMES; i++) {
		struct kt_figures one = count_slowly(s, i < NAMES ? names[i] : "", outer);

		kt_figures_add(&slow, &one);
	}
	kt_figure_rows_sum(&figures.rows, &sum);
	CU_ASSERT_EQUAL(memcmp(&sum, &slow, sizeof(sum)), 0);
	kt_call_figures_free(&figures);
}

/* The rows of single calls add up to those of their functions. */
static void expect_each(const struct story *s, bool outer)
{
	struct kt_call_figures functions = {.outer = outer};
	struct kt_call_figures calls = {.outer = outer, .each = true};
	size_t n = 0;

	feed(&kt_call_figures_visitor, &functions, s);
	CU_ASSERT_EQUAL(kt_call_figures_visitor.begin(&calls, "trace"), KT_OK);
	feed(&kt_call_figures_visitor, &calls, s);
	CU_ASSERT_EQUAL(kt_call_figures_visitor.end(&calls), KT_OK);
	for (size_t i = 0; i < s->n_calls; i++) {
		n += counted(&s->calls[i], outer) == &s->calls[i];
	}
	CU_ASSERT_EQUAL(calls.n_calls, n);
	for (size_t i = 0; i < calls.n_calls; i++) {
		CU_ASSERT_EQUAL(calls.calls[i].row.figures.n[KT_FIGURE_CALLS], 1);
		CU_ASSERT_TRUE(i == 0 || calls.calls[i - 1].id < calls.calls[i].id);
	}
	for (size_t i = 0; i < functions.rows.n; i++) {
		const struct kt_figure_row *row = &functions.rows.rows[i];
		struct kt_figures sum = {.given_up = 0};

		for (size_t j = 0; j < calls.n_calls; j++) {
			if (strcmp(calls.calls[j].row.name, row->name) == 0) {
				kt_figures_add(&sum, &calls.calls[j].row.figures);
			}
		}
		for (size_t j = 0; j < calls.rows.n && !row->name[0]; j++) {
			kt_figures_add(&sum, &calls.rows.rows[j].figures);
		}
		CU_ASSERT_EQUAL(memcmp(&sum, &row->figures, sizeof(sum)), 0);
	}
	kt_call_figures_free(&functions);
	kt_call_figures_free(&calls);
}

static void test_random(void)
{
	static struct story s;

	for (uint32_t seed = 1; seed <= 40; seed++) {
		make_up(&s, seed);
		CU_ASSERT_TRUE(s.n_calls > 50);
		expect_story(&s, false);
		expect_story(&s, true);
		expect_each(&s, false);
		expect_each(&s, true);
	}
}

/* Every event is counted exactly once, for the innermost call or for the outermost. */
static void test_conserved(void)
{
	static struct story s;
	static const enum kt_figure same[] = {KT_FIGURE_IOCTLS, KT_FIGURE_IOCTL_TIME,
					      KT_FIGURE_DOORBELLS, KT_FIGURE_BYTES,
					      KT_FIGURE_LAUNCHES};

	for (uint32_t seed = 100; seed < 110; seed++) {
		struct kt_call_figures inner = {.outer = false};
		struct kt_call_figures outer = {.outer = true};
		struct kt_figures a;
		struct kt_figures b;

		make_up(&s, seed);
		feed(&kt_call_figures_visitor, &inner, &s);
		feed(&kt_call_figures_visitor, &outer, &s);
		kt_figure_rows_sum(&inner.rows, &a);
		kt_figure_rows_sum(&outer.rows, &b);
		for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
			CU_ASSERT_EQUAL(a.n[same[i]], b.n[same[i]]);
		}
		CU_ASSERT_TRUE(a.n[KT_FIGURE_TIME] >= a.n[KT_FIGURE_SELF]);
		CU_ASSERT_TRUE(a.n[KT_FIGURE_SELF] >= b.n[KT_FIGURE_TIME]);
		kt_call_figures_free(&inner);
		kt_call_figures_free(&outer);
	}
}

/* --- by hand --- */

static void test_errors(void)
{
	static const struct {
		const char *api;
		int32_t result;
		bool error;
	} rows[] = {
		{"driver", 0, false}, {"driver", 600, false}, {"driver", 1, true},
		{"opencl", 0, false}, {"opencl", -5, true},   {"vulkan", 0, false},
		{"vulkan", -4, true}, /* VK_ERROR_DEVICE_LOST */
		{"vulkan", 1, false}, /* VK_NOT_READY */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct kt_activity_call call = {.id = 1,
						      .api = rows[i].api,
						      .name = "call",
						      .returned = true,
						      .known = true,
						      .result = rows[i].result};
		const struct kt_moment moment = {.call = &call};
		struct kt_call_figures figures = {.outer = false};

		CU_ASSERT_EQUAL(
			kt_call_figures_visitor.call_enter(&figures, &moment, &call),
			KT_OK);
		CU_ASSERT_EQUAL(kt_call_figures_visitor.call_exit(&figures, &moment, &call),
				KT_OK);
		CU_ASSERT_EQUAL(figures.rows.rows[0].figures.n[KT_FIGURE_ERRORS],
				rows[i].error);
		kt_call_figures_free(&figures);
	}
}

static void test_sizes(void)
{
	static const uint64_t bytes[] = {0,     64,    65,      4096,    4097,
					 24576, 24577, 1048576, 1048577, UINT32_MAX};
	struct kt_figures f = {.given_up = 0};

	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		kt_figures_add_copy(&f, KT_FIGURE_STAGED, bytes[i], 1);
	}
	kt_figures_add_copy(&f, KT_FIGURE_DIRECT, 100, 7);
	for (int i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL(f.n[KT_FIGURE_STAGED_TO_64 + i], 2);
	}
	CU_ASSERT_EQUAL(f.n[KT_FIGURE_STAGED], 10);
	CU_ASSERT_EQUAL(f.n[KT_FIGURE_DIRECT], 7);
	CU_ASSERT_EQUAL(f.n[KT_FIGURE_DIRECT_BYTES], 700);
	CU_ASSERT_EQUAL(f.n[KT_FIGURE_DIRECT_TO_4K], 7);
	CU_ASSERT_EQUAL(f.n[KT_FIGURE_COPIED],
			f.n[KT_FIGURE_STAGED_BYTES] + f.n[KT_FIGURE_DIRECT_BYTES]);
	CU_ASSERT_EQUAL(f.n[KT_FIGURE_INLINE], 0);
}

static void test_quantiles(void)
{
	struct kt_figure_rows rows = {0};
	struct kt_figure_row *row;
	uint64_t time = 7;

	CU_ASSERT_EQUAL(kt_figure_rows_find(&rows, &row, "driver", "cuInit"), KT_OK);
	CU_ASSERT_FALSE(kt_figure_row_quantile(row, 500, &time));
	for (uint64_t i = 200; i > 0; i--) {
		CU_ASSERT_EQUAL(kt_figure_row_time(row, i), KT_OK);
	}
	CU_ASSERT_TRUE(kt_figure_row_quantile(row, 500, &time));
	CU_ASSERT_EQUAL(time, 100);
	CU_ASSERT_TRUE(kt_figure_row_quantile(row, 990, &time));
	CU_ASSERT_EQUAL(time, 198);
	CU_ASSERT_TRUE(kt_figure_row_quantile(row, 1000, &time));
	CU_ASSERT_EQUAL(time, 200);
	CU_ASSERT_TRUE(kt_figure_row_quantile(row, 0, &time));
	CU_ASSERT_EQUAL(time, 1);
	kt_figure_rows_free(&rows);
}

/* Of 5000 inline copies in one submission, only the newest 4096 are kept individually. */
static void test_many_writes(void)
{
	static struct kt_waiting_write writes[4096];
	struct kt_work work = {.inline_copies = 5000,
			       .inline_bytes = 4096 * 8 + 904 * 100 + 3};
	const struct kt_moment moment = {.time = 1};
	const struct kt_submission submission = {.number = 1};
	struct kt_call_figures figures = {.outer = false};
	const struct kt_figures *f;

	for (size_t i = 0; i < 4096; i++) {
		writes[i].bytes = 8;
	}
	work.submitted.writes = writes;
	work.submitted.n_writes = 4096;
	CU_ASSERT_EQUAL(
		kt_call_figures_visitor.submission(&figures, &moment, &submission, &work),
		KT_OK);
	f = &figures.rows.rows[0].figures;
	CU_ASSERT_EQUAL(f->n[KT_FIGURE_INLINE], 5000);
	CU_ASSERT_EQUAL(f->n[KT_FIGURE_INLINE_BYTES], work.inline_bytes);
	CU_ASSERT_EQUAL(f->n[KT_FIGURE_COPIED], work.inline_bytes);
	CU_ASSERT_EQUAL(f->n[KT_FIGURE_INLINE_TO_64], 4096);
	CU_ASSERT_EQUAL(f->n[KT_FIGURE_INLINE_TO_4K], 904);
	kt_call_figures_free(&figures);
}

/* --- launch cost --- */

static const struct kt_api_function *function(const char *name)
{
	const struct kt_api_function *found = kt_api_function_find(name);

	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	return found;
}

/*
 * cudaLaunchKernel calls cuLaunchKernel, which writes the doorbell; after that,
 * cudaLaunchKernel has a submission of its own.
 */
static void expect_cost(bool outer, const char *name, uint64_t bytes, uint64_t time)
{
	struct kt_activity_call runtime = {.id = 1,
					   .name = "cudaLaunchKernel",
					   .function = function("cudaLaunchKernel"),
					   .returned = true,
					   .duration = 50};
	struct kt_activity_call driver = {.id = 2,
					  .name = "cuLaunchKernel",
					  .function = function("cuLaunchKernel"),
					  .outer = &runtime,
					  .returned = true,
					  .duration = 30};
	struct kt_activity_call query = {.id = 3,
					 .name = "cuStreamQuery",
					 .function = function("cuStreamQuery"),
					 .outer = &driver,
					 .returned = true};
	const struct happening story[] = {
		{ENTER, &runtime, 0},        {ENTER, &driver, 0},
		{DOORBELL, &driver, 0},      {SUBMISSION, &driver, 10},
		{ENTER, &query, 0},          {SUBMISSION, &query, 5},
		{EXIT, &query, 0},           {EXIT, &driver, 0},
		{SUBMISSION, &runtime, 100}, {EXIT, &runtime, 0},
		{SUBMISSION, NULL, 1000},
	};
	struct kt_launch_cost cost = {.kind = "launch", .outer = outer};

	CU_ASSERT_EQUAL(kt_launch_cost_visitor.begin(&cost, "trace"), KT_OK);
	for (size_t i = 0; i < sizeof(story) / sizeof(story[0]); i++) {
		CU_ASSERT_EQUAL(feed_one(&kt_launch_cost_visitor, &cost, &story[i]), KT_OK);
	}
	CU_ASSERT_EQUAL_FATAL(cost.n, 1);
	CU_ASSERT_STRING_EQUAL(cost.points[0].name, name);
	CU_ASSERT_EQUAL(cost.points[0].bytes, bytes);
	CU_ASSERT_EQUAL(cost.points[0].time, time);
	CU_ASSERT_EQUAL(cost.points[0].doorbells, 1);
	kt_launch_cost_free(&cost);
}

static void test_cost(void)
{
	expect_cost(false, "cuLaunchKernel", 60, 30);
	expect_cost(true, "cudaLaunchKernel", 460, 50);
	CU_ASSERT_TRUE(kt_launch_cost_has_kind("graph-launch"));
	CU_ASSERT_TRUE(kt_launch_cost_has_kind("copy"));
	CU_ASSERT_TRUE(kt_launch_cost_has_kind("copy-to-device"));
	CU_ASSERT_FALSE(kt_launch_cost_has_kind("graph"));
	CU_ASSERT_FALSE(kt_launch_cost_has_kind(""));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"random calls in calls", test_random},
		{"inner and outer calls", test_conserved},
		{"errors", test_errors},
		{"copies by size", test_sizes},
		{"quantiles", test_quantiles},
		{"many inline copies at once", test_many_writes},
		{"what launches cost", test_cost},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("figures of calls", tests);
}
