/* SPDX-License-Identifier: MIT */
/* Tests names, counts and selection of ioctls. */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/call-names.h"
#include "infer/words/split/trace-filter.h"
#include "annotate/listing/call-tally.h"
#include "decode/ioctls.h"
#include "tests/suite.h"

static void expect_names(struct kt_call_numbers numbers, uint32_t release,
			 const char *request, const char *subject)
{
	struct kt_call_what what = kt_call_what(&numbers, release);
	char buffer[24];

	CU_ASSERT_STRING_EQUAL(kt_call_request_label(&what, buffer), request);
	CU_ASSERT_STRING_EQUAL(kt_call_subject_label(&what, buffer), subject);
}

static void test_names(void)
{
	struct kt_call_numbers n = {.family = KT_IOCTL_RM, .nr = KT_NR_CONTROL};

	/* The struct of the RM control could not be read. */
	expect_names(n, 0, "NV_ESC_RM_CONTROL", "");
	n.client = n.object = 0xc1d00001;
	expect_names(n, 0, "NV_ESC_RM_CONTROL", "NV0000_CTRL_CMD_NULL");
	n.command = 0x107;
	n.class_number = 0x41;
	expect_names(n, 0, "NV_ESC_RM_CONTROL",
		     "NV0000_CTRL_SYSTEM_GET_VRR_COOKIE_PRESENT");
	expect_names(n, 545023006, "NV_ESC_RM_CONTROL",
		     "NV0000_CTRL_CMD_SYSTEM_SET_MEMORY_SIZE");
	n.command = 0xfffffffe;
	expect_names(n, 0, "NV_ESC_RM_CONTROL", "0xfffffffe");

	n = (struct kt_call_numbers){.family = KT_IOCTL_RM, .nr = KT_NR_ALLOC};
	expect_names(n, 0, "NV_ESC_RM_ALLOC", "");
	n.object = 1;
	expect_names(n, 0, "NV_ESC_RM_ALLOC", "NV01_ROOT");
	n.class_number = 0xc86f;
	expect_names(n, 0, "NV_ESC_RM_ALLOC", "HOPPER_CHANNEL_GPFIFO_A");
	n.nr = KT_NR_FREE;
	expect_names(n, 0, "NV_ESC_RM_FREE", "HOPPER_CHANNEL_GPFIFO_A");
	n.class_number = 0;
	expect_names(n, 0, "NV_ESC_RM_FREE", "");
	n.nr = UINT32_MAX;
	n.class_number = UINT32_MAX;
	expect_names(n, 0, "RM 0xffffffff", "0xffffffff");

	n = (struct kt_call_numbers){.family = KT_IOCTL_UVM, .nr = KT_UVM_FREE};
	expect_names(n, 0, "UVM_FREE", "");
	n.nr = 0xffff;
	expect_names(n, 0, "UVM 0xffff", "");
	n = (struct kt_call_numbers){.family = -1, .nr = KT_NR_CONTROL};
	expect_names(n, 0, "ioctl 0x2a", "");
}

/* Returns a pseudo-random number; the sequence is the same on each run. */
static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static struct kt_call random_call(uint32_t *state)
{
	struct kt_call_numbers n = {.family = (int)(next(state) % 3) - 1,
				    .nr = KT_NR_FREE + next(state) % 3,
				    .object = 1,
				    .class_number = 0x40 + next(state) % 4,
				    .command = 0x100 + next(state) % 9};
	struct kt_call call = {.duration = next(state) % 1000,
			       .error = next(state) % 5 == 0 ? 22 : 0,
			       .status = next(state) % 7 == 0 ? 0x56 : 0};

	call.what = kt_call_what(&n, next(state) % 2 ? 0 : 545023006);
	return call;
}

/* Rows are distinct and sorted, and add up to the counted totals. */
static void test_tally(void)
{
	struct kt_call_tally tally = {0};
	struct kt_call_row sum = {0};
	struct kt_call_row counted = {0};
	uint32_t state = 1;

	for (int i = 0; i < 5000; i++) {
		struct kt_call call = random_call(&state);

		CU_ASSERT_EQUAL(kt_call_tally_add(&tally, &call), KT_OK);
		sum.calls++;
		sum.failed += kt_call_failed(&call);
		sum.duration += call.duration;
	}
	/*
	 * RM: free with 4 classes, alloc with 4, control with 9 commands, one of which has
	 * two names. Each of the other two families: 3 requests with 4 classes each.
	 */
	CU_ASSERT_EQUAL(tally.n, 4 + 4 + 10 + 12 + 12);
	for (size_t i = 0; i < tally.n; i++) {
		counted.calls += tally.rows[i].calls;
		counted.failed += tally.rows[i].failed;
		counted.duration += tally.rows[i].duration;
		CU_ASSERT_TRUE(i == 0 || kt_call_compare(&tally.rows[i - 1].what,
							 &tally.rows[i].what) < 0);
	}
	CU_ASSERT_EQUAL(counted.calls, sum.calls);
	CU_ASSERT_EQUAL(counted.failed, sum.failed);
	CU_ASSERT_EQUAL(counted.duration, sum.duration);
	kt_call_tally_free(&tally);
	CU_ASSERT_EQUAL(tally.n, 0);
}

static void test_print(void)
{
	struct kt_call_tally tally = {0};
	struct kt_call call = {.duration = 1500};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	call.what = kt_call_what(
		&(struct kt_call_numbers){.family = KT_IOCTL_RM, .nr = 0x99}, 0);
	CU_ASSERT_EQUAL(kt_call_tally_add(&tally, &call), KT_OK);
	call.what = kt_call_what(
		&(struct kt_call_numbers){.family = KT_IOCTL_UVM, .nr = KT_UVM_FREE}, 0);
	call.error = 22;
	CU_ASSERT_EQUAL(kt_call_tally_add(&tally, &call), KT_OK);
	CU_ASSERT_EQUAL(kt_call_tally_add(&tally, &call), KT_OK);
	kt_call_tally_print(&tally, out, true);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(text, "{\"type\":\"request\",\"family\":\"uvm\",\"nr\":34,"
				     "\"name\":\"UVM_FREE\",\"count\":2,\"failed\":2,"
				     "\"duration\":3000}\n"
				     "{\"type\":\"request\",\"family\":\"rm\",\"nr\":153,"
				     "\"count\":1,\"failed\":0,\"duration\":1500}\n");
	free(text);
	kt_call_tally_free(&tally);
}

static bool takes(struct kt_trace_filter *filter, const char *process, uint32_t pid,
		  uint64_t time)
{
	CU_ASSERT_EQUAL(kt_trace_filter_settle(filter), KT_OK);
	return kt_trace_filter_takes(filter, process, pid, pid, time);
}

static void test_selection(void)
{
	struct kt_trace_filter f = {0};

	CU_ASSERT_TRUE(takes(&f, "app", 7, 0));
	f.process = "app";
	CU_ASSERT_TRUE(takes(&f, "app", 7, 0));
	CU_ASSERT_FALSE(takes(&f, "other", 7, 0));
	kt_trace_filter_clear(&f);
	f.process = "7";
	CU_ASSERT_TRUE(takes(&f, "app", 7, 0));
	CU_ASSERT_TRUE(takes(&f, "7", 8, 0));
	CU_ASSERT_FALSE(takes(&f, "app", 8, 0));
	kt_trace_filter_clear(&f);
	f.process = "x,8";
	CU_ASSERT_TRUE(takes(&f, "app", 8, 0));
	CU_ASSERT_FALSE(takes(&f, "app", 7, 0));
	CU_ASSERT_EQUAL(kt_trace_filter_judge(&f), KT_E_USAGE);
	CU_ASSERT_STRING_EQUAL(kt_error_message(),
			       "find process x: not in the traces, which have app "
			       "(8), app (7)");
	kt_trace_filter_clear(&f);
	f.process = "7x";
	CU_ASSERT_FALSE(takes(&f, "app", 7, 0));
	kt_trace_filter_clear(&f);
	f.thread = "0x7,9";
	CU_ASSERT_TRUE(takes(&f, "app", 7, 0));
	CU_ASSERT_FALSE(takes(&f, "app", 8, 0));
	kt_trace_filter_clear(&f);
	f = (struct kt_trace_filter){.from = "0.000000005", .to = "0.000000006"};
	CU_ASSERT_FALSE(takes(&f, "app", 7, 4));
	CU_ASSERT_TRUE(takes(&f, "app", 7, 5));
	CU_ASSERT_TRUE(takes(&f, "app", 7, 6));
	CU_ASSERT_FALSE(takes(&f, "app", 7, 7));
	kt_trace_filter_clear(&f);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"names", test_names},
		{"counts", test_tally},
		{"the most frequent first", test_print},
		{"selected processes and times", test_selection},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("calls", tests);
}
