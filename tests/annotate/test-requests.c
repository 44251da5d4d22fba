/* SPDX-License-Identifier: MIT */
/*
 * Tests requests: the calls that made them, the polls that noticed their completion, and
 * how the bytes of copies were transferred.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/requests/request-tables.h"
#include "tests/suite.h"

#define BASE UINT64_C(0x204600000)

/* A process of one thread whose events are a microsecond apart. */
struct hand {
	struct kt_requests requests;
	struct kt_moment moment;
	struct kt_activity_call calls[16];
	size_t n_calls;
	uint64_t number; /* number of the newest submission */
	uint64_t payload;
};

static const struct kt_activity_visitor *const v = &kt_requests_visitor;

static void open_hand(struct hand *h, const char *access)
{
	const struct kt_process_begin_fields begin = {.access = access};
	const struct kt_map_fields map = {
		.space = "sys", .mapping = 7, .address = BASE, .length = 0x1000};

	memset(h, 0, sizeof(*h));
	kt_requests_init(&h->requests);
	h->moment = (struct kt_moment){.pid = 10, .tid = 11, .process = "app"};
	CU_ASSERT_EQUAL(v->begin(&h->requests, "trace"), KT_OK);
	CU_ASSERT_EQUAL(v->process_begin(&h->requests, &h->moment, &begin), KT_OK);
	CU_ASSERT_EQUAL(v->map(&h->requests, &h->moment, &map), KT_OK);
}

static const struct kt_moment *next(struct hand *h)
{
	h->moment.seq++;
	h->moment.time += 1000;
	return &h->moment;
}

/* The arguments are in the order of cuMemcpy's: destination, source, bytes. */
static void enter(struct hand *h, const char *name, uint64_t a, uint64_t b, uint64_t bytes)
{
	struct kt_activity_call *call = &h->calls[h->n_calls];

	*call = (struct kt_activity_call){.id = ++h->n_calls,
					  .api = "driver",
					  .name = name,
					  .function = kt_api_function_find(name),
					  .arguments = {a, b, bytes},
					  .n_arguments = 3,
					  .outer = h->moment.call,
					  .tid = h->moment.tid};
	CU_ASSERT_PTR_NOT_NULL_FATAL(call->function);
	next(h);
	call->begin = h->moment.time;
	h->moment.call = call;
	CU_ASSERT_EQUAL(v->call_enter(&h->requests, &h->moment, call), KT_OK);
}

static void leave(struct hand *h, int32_t result)
{
	struct kt_activity_call *call = &h->calls[h->moment.call->id - 1];

	next(h);
	call->end = h->moment.time;
	call->returned = true;
	call->known = true;
	call->result = result;
	CU_ASSERT_EQUAL(v->call_exit(&h->requests, &h->moment, call), KT_OK);
	h->moment.call = call->outer;
}

/* Writes one doorbell; the work releases the semaphore at `offset`. */
static void submit(struct hand *h, struct kt_work *work, uint64_t offset)
{
	const struct kt_doorbell_fields doorbell = {.known = true, .value = 0x42};
	const struct kt_moment *moment = next(h);
	const struct kt_submission submission = {.number = ++h->number,
						 .time = moment->time,
						 .pid = moment->pid,
						 .tid = moment->tid,
						 .instance = moment->instance,
						 .seq = moment->seq,
						 .doorbell_written = true,
						 .value_known = true,
						 .value = 0x42,
						 .channel = 5};

	work->releases[0] =
		(struct kt_work_release){.address = BASE + offset, .payload = ++h->payload};
	work->n_releases = work->all_releases = 1;
	CU_ASSERT_EQUAL(v->doorbell(&h->requests, moment, &doorbell), KT_OK);
	CU_ASSERT_EQUAL(v->submission(&h->requests, moment, &submission, work), KT_OK);
	CU_ASSERT_EQUAL(v->doorbell_end(&h->requests, moment, &doorbell, 1), KT_OK);
}

static void submit_inline(struct hand *h, uint64_t bytes)
{
	struct kt_work work = {.inline_copies = 1, .inline_bytes = bytes};

	work.submitted.commands[KT_COMMAND_INLINE] = 1;
	submit(h, &work, 0xff0);
}

static void submit_direct(struct hand *h, uint64_t to, uint64_t from, uint64_t bytes)
{
	struct kt_work work = {.direct_copies = 1,
			       .direct_bytes = bytes,
			       .copies = {{from, to, bytes}},
			       .n_copies = 1};

	work.submitted.commands[KT_COMMAND_COPY] = 1;
	submit(h, &work, 0xff0);
}

static void submit_launch(struct hand *h)
{
	struct kt_work work = {.launches = 1};

	work.submitted.commands[KT_COMMAND_LAUNCH] = 1;
	submit(h, &work, 0xff0);
}

static void read_semaphore(struct hand *h)
{
	const struct kt_access_fields fields = {
		.space = "sys", .mapping = 7, .offset = 0xff0, .size = 4};

	CU_ASSERT_EQUAL(v->access(&h->requests, next(h), &fields), KT_OK);
}

static void sleep_for(struct hand *h, uint64_t ns)
{
	const struct kt_wait_fields fields = {
		.device = "nvidia0", .call = "poll", .duration = ns};

	CU_ASSERT_EQUAL(v->wait(&h->requests, next(h), &fields), KT_OK);
}

static void close_hand(struct hand *h)
{
	CU_ASSERT_EQUAL(v->end(&h->requests), KT_OK);
}

static const struct kt_request_call *call_of(const struct hand *h, uint64_t id)
{
	return kt_requests_find_call(&h->requests, id);
}

static enum kt_copy_way way_of(const struct hand *h, uint64_t id)
{
	const struct kt_request_call *call = call_of(h, id);

	CU_ASSERT_PTR_NOT_NULL_FATAL(call);
	return kt_request_call_way(call);
}

/* --- */

static void test_copy(void)
{
	const struct kt_request *request;
	const struct kt_poll *sign;
	struct hand h;

	open_hand(&h, "coalesced");
	enter(&h, "cuMemcpyHtoD_v2", 0x7f0000, 0x1000, 100);
	submit_inline(&h, 100); /* at 2 us */
	read_semaphore(&h);
	read_semaphore(&h);
	leave(&h, 0);
	close_hand(&h);
	CU_ASSERT_EQUAL_FATAL(h.requests.n, 1);
	request = &h.requests.requests[0];
	CU_ASSERT_STRING_EQUAL(request->what, "copy-inline");
	CU_ASSERT_STRING_EQUAL(request->call_name, "cuMemcpyHtoD_v2");
	CU_ASSERT_STRING_EQUAL(request->sign_call, "cuMemcpyHtoD_v2");
	CU_ASSERT_EQUAL(request->token, 0x42);
	CU_ASSERT_EQUAL(request->semaphore.address, BASE + 0xff0);
	CU_ASSERT_EQUAL(request->completion.tie, KT_TIE_READ);
	CU_ASSERT_EQUAL(request->completion.first.time - request->time, 1000);
	CU_ASSERT_EQUAL(request->completion.polls, 2);
	CU_ASSERT_EQUAL(request->completion.returned - request->time, 3000);
	CU_ASSERT_EQUAL(kt_request_sign(request, &sign), KT_SIGN_NOTICE);
	CU_ASSERT_EQUAL(sign->time - request->time, 2000);
	CU_ASSERT_EQUAL(way_of(&h, 1), KT_COPY_INLINE);
	kt_requests_free(&h.requests);
}

static void test_ways(void)
{
	struct hand h;

	open_hand(&h, "coalesced");
	enter(&h, "cuMemcpyHtoD_v2", 0x7f0000, 0x10000, 0x9000);
	submit_direct(&h, 0x7f0000, 0x10000, 0x9000);
	leave(&h, 0);
	enter(&h, "cuMemcpyDtoH_v2", 0x10000, 0x7f0000, 0x9000);
	submit_direct(&h, 0x555000, 0x7f0000, 0x8000);
	submit_direct(&h, 0x555000, 0x7f8000, 0x1000);
	leave(&h, 0);
	enter(&h, "cuMemcpyHtoD_v2", 0x7f0000, 0x10000, 0x9000);
	submit_direct(&h, 0x7f0000, 0x10000, 0x8000);
	submit_inline(&h, 0x1000);
	leave(&h, 0);
	enter(&h, "cuMemcpyHtoD_v2", 0x7f0000, 0x10000, 0x9000);
	submit_direct(&h, 0x7f0000, 0x10000, 0x8000);
	leave(&h, 0);
	enter(&h, "cuMemcpyDtoH_v2", 0x10000, 0x7f0000, 4);
	leave(&h, 0);
	enter(&h, "cuMemcpyDtoH_v2", 0x10000, 0x7f0000, 4);
	leave(&h, 700);
	close_hand(&h);
	CU_ASSERT_EQUAL(way_of(&h, 1), KT_COPY_DIRECT);
	CU_ASSERT_EQUAL(way_of(&h, 2), KT_COPY_STAGED);
	CU_ASSERT_EQUAL(way_of(&h, 3), KT_COPY_MIXED);
	CU_ASSERT_EQUAL(way_of(&h, 4), KT_COPY_WRONG);
	CU_ASSERT_EQUAL(way_of(&h, 5), KT_COPY_UNSEEN);
	CU_ASSERT_EQUAL(way_of(&h, 6), KT_COPY_NONE);
	kt_requests_free(&h.requests);
}

/* If a runtime call makes a driver call, the submission counts for both calls. */
static void test_nested(void)
{
	struct kt_call_completion all;
	struct hand h;

	open_hand(&h, "coalesced");
	enter(&h, "cudaMemcpy", 0x7f0000, 0x10000, 100);
	enter(&h, "cuMemcpyHtoD_v2", 0x7f0000, 0x10000, 100);
	submit_inline(&h, 100);
	leave(&h, 0);
	read_semaphore(&h);
	leave(&h, 0);
	close_hand(&h);
	CU_ASSERT_EQUAL(way_of(&h, 1), KT_COPY_INLINE);
	CU_ASSERT_EQUAL(way_of(&h, 2), KT_COPY_INLINE);
	CU_ASSERT_STRING_EQUAL(h.requests.requests[0].call_name, "cuMemcpyHtoD_v2");
	CU_ASSERT_STRING_EQUAL(h.requests.requests[0].sign_call, "cudaMemcpy");
	all = kt_requests_completion(&h.requests, call_of(&h, 1));
	CU_ASSERT_EQUAL(all.requests, 1);
	CU_ASSERT_EQUAL(all.attributed, 1);
	CU_ASSERT_TRUE(all.inside);
	all = kt_requests_completion(&h.requests, call_of(&h, 2));
	CU_ASSERT_EQUAL(all.sign, KT_SIGN_NOTICE);
	CU_ASSERT_FALSE(all.inside);
	CU_ASSERT_PTR_EQUAL(all.in, call_of(&h, 1));
	CU_ASSERT_PTR_NULL(call_of(&h, 3));
	kt_requests_free(&h.requests);
}

static void test_captured(void)
{
	struct hand h;

	open_hand(&h, "coalesced");
	enter(&h, "cuStreamBeginCapture_v2", 1, 0, 0);
	leave(&h, 0);
	enter(&h, "cuMemcpyHtoDAsync_v2", 0x7f0000, 0x10000, 100);
	leave(&h, 0);
	enter(&h, "cuStreamEndCapture", 1, 0, 0);
	leave(&h, 0);
	enter(&h, "cuMemcpyHtoDAsync_v2", 0x7f0000, 0x10000, 100);
	leave(&h, 0);
	close_hand(&h);
	CU_ASSERT_EQUAL(way_of(&h, 2), KT_COPY_CAPTURED);
	CU_ASSERT_EQUAL(way_of(&h, 4), KT_COPY_UNSEEN);
	kt_requests_free(&h.requests);
}

/* A wait for an event after the first launch shows the completion of this launch only. */
static void test_events(void)
{
	const struct kt_poll *sign;
	struct hand h;

	open_hand(&h, "coalesced");
	submit_launch(&h);
	enter(&h, "cuEventRecord", 0xe0, 0, 0);
	leave(&h, 0);
	submit_launch(&h);
	enter(&h, "cuEventQuery", 0xe0, 0, 0);
	read_semaphore(&h);
	leave(&h, 600); /* not ready */
	enter(&h, "cuEventSynchronize", 0xe0, 0, 0);
	sleep_for(&h, 300);
	read_semaphore(&h);
	leave(&h, 0);
	enter(&h, "cuCtxSynchronize", 0, 0, 0);
	leave(&h, 0);
	close_hand(&h);
	CU_ASSERT_EQUAL(kt_request_sign(&h.requests.requests[0], &sign), KT_SIGN_INTERRUPT);
	CU_ASSERT_EQUAL(h.requests.requests[0].completion.notice_slept, 300);
	CU_ASSERT_STRING_EQUAL(h.requests.requests[0].sign_call, "cuEventSynchronize");
	CU_ASSERT_EQUAL(kt_request_sign(&h.requests.requests[1], &sign), KT_SIGN_RUN);
	CU_ASSERT_STRING_EQUAL(h.requests.requests[1].sign_call, "cuEventQuery");
	CU_ASSERT_EQUAL(h.requests.waits.calls, 2);
	CU_ASSERT_EQUAL(h.requests.waits.blind, 1);
	CU_ASSERT_EQUAL(h.requests.waits.sleeps, 1);
	CU_ASSERT_EQUAL(h.requests.waits.unmatched, 0);
	kt_requests_free(&h.requests);
}

static void test_lost(void)
{
	struct kt_request_ties ties;
	struct hand h;

	open_hand(&h, "off");
	submit_launch(&h);
	CU_ASSERT_EQUAL(v->gap(&h.requests, next(&h), 5), KT_OK);
	submit_launch(&h);
	close_hand(&h);
	ties = kt_request_ties(&h.requests);
	CU_ASSERT_EQUAL(ties.requests, 2);
	CU_ASSERT_EQUAL(ties.lossy, 1);
	CU_ASSERT_EQUAL(ties.never, 1);
	CU_ASSERT_EQUAL(h.requests.unwatched_instances, 1);
	kt_requests_free(&h.requests);
}

static const struct kt_cell *cell(const struct kt_table *table, size_t row, const char *key)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		if (strcmp(table->columns[i].key, key) == 0) {
			return &kt_table_row(table, row)[i];
		}
	}
	CU_FAIL_FATAL("no such column");
	return NULL;
}

static void test_tables(void)
{
	const char *const paths[] = {"a trace"};
	const struct kt_annotation_input input = {.paths = paths, .n_paths = 1};
	struct kt_table table;
	struct hand h;

	open_hand(&h, "coalesced");
	for (int i = 0; i < 3; i++) {
		enter(&h, "cuLaunchKernel", 0, 0, 0);
		submit_launch(&h);
		leave(&h, 0);
	}
	enter(&h, "cuMemcpyHtoD_v2", 0x7f0000, 0x1000, 100);
	submit_inline(&h, 99);
	read_semaphore(&h);
	leave(&h, 0);
	close_hand(&h);

	h.requests.input = &input;
	CU_ASSERT_EQUAL(kt_request_table_make(&table, &h.requests), KT_OK);
	CU_ASSERT_EQUAL_FATAL(table.n_rows, 4);
	CU_ASSERT_STRING_EQUAL(cell(&table, 0, "trace")->text, "a trace");
	CU_ASSERT_STRING_EQUAL(cell(&table, 0, "tie")->text, "later");
	CU_ASSERT_STRING_EQUAL(cell(&table, 3, "tie")->text, "read");
	kt_table_free(&table);

	CU_ASSERT_EQUAL(kt_request_kinds(&table, &h.requests), KT_OK);
	CU_ASSERT_EQUAL_FATAL(table.n_rows, 2);
	CU_ASSERT_STRING_EQUAL(cell(&table, 0, "what")->text, "launch");
	CU_ASSERT_EQUAL(cell(&table, 0, "requests")->number, 3);
	CU_ASSERT_EQUAL(cell(&table, 0, "later")->number, 3);
	CU_ASSERT_EQUAL(cell(&table, 0, "noticed")->number, 3);
	kt_table_free(&table);

	CU_ASSERT_EQUAL(kt_request_calls_table(&table, &h.requests), KT_OK);
	CU_ASSERT_EQUAL_FATAL(table.n_rows, 2);
	CU_ASSERT_EQUAL(cell(&table, 0, "tied")->number, 3);
	CU_ASSERT_EQUAL(cell(&table, 0, "noticed_later")->number, 3);
	CU_ASSERT_STRING_EQUAL(cell(&table, 0, "noticed_later_in")->text,
			       "cuMemcpyHtoD_v2");
	CU_ASSERT_EQUAL(cell(&table, 1, "noticed_inside")->number, 1);
	CU_ASSERT_EQUAL(cell(&table, 1, "disagree")->number, 1);
	kt_table_free(&table);

	CU_ASSERT_EQUAL(kt_request_disagreements(&table, &h.requests), KT_OK);
	CU_ASSERT_EQUAL(table.n_rows, 1);
	CU_ASSERT_EQUAL(cell(&table, 0, "inline_bytes")->number, 99);
	kt_table_free(&table);

	CU_ASSERT_EQUAL(kt_request_points(&table, &h.requests), KT_OK);
	CU_ASSERT_EQUAL_FATAL(table.n_rows, 2);
	CU_ASSERT_EQUAL(cell(&table, 0, "requests")->number, 3);
	CU_ASSERT_FALSE(cell(&table, 0, "doorbell_transition")->known);
	CU_ASSERT_STRING_EQUAL(cell(&table, 0, "sign")->text, "notice");
	/* The doorbells are 4, 7 and 10 events before the poll. */
	CU_ASSERT_EQUAL(cell(&table, 0, "latency_median")->number, 7000);
	kt_table_free(&table);
	kt_requests_free(&h.requests);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"a copy that waits", test_copy},
		{"how the bytes of copies go", test_ways},
		{"a call within a call", test_nested},
		{"a stream that is captured", test_captured},
		{"events, and a wait for a device", test_events},
		{"events that are missing", test_lost},
		{"tables", test_tables},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("requests", tests);
}
