/* SPDX-License-Identifier: MIT */
/* Tests the labels that the software GPU's driver writes with KTAIL_SOFTGPU_LABELS. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corpus/softgpu/driver/api.h"
#include "corpus/softgpu/driver/work/copies.h"
#include "tests/suite.h"

#define OK(call) CU_ASSERT_EQUAL((call), KT_CU_OK)

static char path[] = "/tmp/test-labels-XXXXXX";

struct line {
	uint64_t time;
	int pid;
	int tid;
	char what[8];
	char text[64];
};

static bool read_line(FILE *file, struct line *out)
{
	char buffer[256];

	memset(out, 0, sizeof(*out));
	if (!fgets(buffer, sizeof(buffer), file)) {
		return false;
	}
	/* The text may be empty. */
	CU_ASSERT_FATAL(sscanf(buffer, "%" SCNu64 "\t%d\t%d\t%7[a-z]\t%63[^\n]", &out->time,
			       &out->pid, &out->tid, out->what, out->text) >= 4);
	return true;
}

static bool is_label(const char *text)
{
	static const char *const names[] = {"",
#define ROW(name, label) label,
					    KT_SOFTGPU_LABELS(ROW)
#undef ROW
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], text) == 0) {
			return true;
		}
	}
	return false;
}

/* Counts the lines whose kind is `what` and whose text is `text`. */
static unsigned count(const char *what, const char *text)
{
	FILE *file = fopen(path, "r");
	struct line line;
	unsigned n = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	while (read_line(file, &line)) {
		n += strcmp(line.what, what) == 0 && strcmp(line.text, text) == 0;
	}
	fclose(file);
	return n;
}

/*
 * Calls each function without valid arguments. The functions fail, but their entry and exit
 * must be written.
 */
static void test_each_function(void)
{
	typedef int (*any)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			   uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
	static const struct {
		void (*function)(void);
		const char *symbol;
	} functions[] = {
#define ROW(field, symbol, parameters) {(void (*)(void))field, symbol},
		KT_CUDA_FUNCTIONS(ROW) KT_CUDA_MORE_FUNCTIONS(ROW)
#undef ROW
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		any function = (any)functions[i].function;

		CU_ASSERT_EQUAL(count("enter", functions[i].symbol), 0);
		(void)function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
		CU_ASSERT_EQUAL(count("enter", functions[i].symbol), 1);
		CU_ASSERT_EQUAL(count("leave", functions[i].symbol), 1);
	}
}

static void work(kt_cu_context context)
{
	static char bytes[2 * KT_INLINE_BYTES];
	kt_cu_address device = 0;
	kt_cu_event event = NULL;

	OK(cuCtxSetCurrent(context));
	OK(cuMemAlloc(&device, sizeof(bytes)));
	OK(cuMemcpyHtoD(device, bytes, 4));
	OK(cuMemcpyHtoD(device, bytes, sizeof(bytes)));
	OK(cuMemcpyDtoH(bytes, device, sizeof(bytes)));
	OK(cuMemsetD8(device, 1, 100));
	OK(cuEventCreate(&event, 0));
	OK(cuEventRecord(event, NULL));
	OK(cuEventSynchronize(event));
	OK(cuEventDestroy(event));
	OK(cuMemFree(device));
}

static void *work_in_thread(void *context)
{
	work(context);
	return NULL;
}

static void test_work(void)
{
	static const struct {
		const char *label;
		unsigned at_least;
	} expected[] = {
		{"open the driver", 1},
		{"map the doorbell", 1},
		{"create address space", 1},
		{"create channel group", 1},
		{"create channel", 4},
		{"create engine object", 4},
		{"submit: setup", 4},
		{"submit: inline copy", 2},
		{"submit: copy", 4},
		{"submit: fill", 2},
		{"submit: semaphore release", 2},
		{"write staging memory", 2},
		{"read staging memory", 2},
		{"write commands", 14},
		{"write ring entry", 14},
		{"destroy engine object", 8},
		{"destroy channel group", 1},
		{"poll for completion", 2},
		{"check error notifier", 14},
		{"take memory from the GPU", 4},
	};
	kt_cu_context context = NULL;
	pthread_t thread;

	OK(cuCtxCreate(&context, 0, 0));
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, work_in_thread, context), 0);
	work(context);
	pthread_join(thread, NULL);
	OK(cuCtxDestroy(context));
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		unsigned n = count("label", expected[i].label);

		if (n < expected[i].at_least) {
			printf("%s: %u\n", expected[i].label, n);
		}
		CU_ASSERT(n >= expected[i].at_least);
	}
	CU_ASSERT_EQUAL(count("label", "submit: nothing"), 0);
}

/*
 * Checks one thread's lines: labels must be inside calls, calls must not be nested, and
 * time must not decrease.
 */
static void check_thread(int tid)
{
	FILE *file = fopen(path, "r");
	char call[64] = "";
	char label[64] = "";
	uint64_t time = 0;
	struct line line;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	while (read_line(file, &line)) {
		CU_ASSERT_EQUAL(line.pid, getpid());
		if (line.tid != tid) {
			continue;
		}
		CU_ASSERT(line.time >= time);
		time = line.time;
		if (strcmp(line.what, "label") == 0) {
			CU_ASSERT(is_label(line.text));
			CU_ASSERT_STRING_NOT_EQUAL(line.text, label);
			CU_ASSERT(call[0] != '\0');
			memcpy(label, line.text, sizeof(label));
		} else if (strcmp(line.what, "enter") == 0) {
			CU_ASSERT_STRING_EQUAL(call, "");
			CU_ASSERT_STRING_EQUAL(label, "");
			memcpy(call, line.text, sizeof(call));
		} else {
			CU_ASSERT_STRING_EQUAL(line.what, "leave");
			CU_ASSERT_STRING_EQUAL(line.text, call);
			CU_ASSERT_STRING_EQUAL(label, "");
			call[0] = '\0';
		}
	}
	CU_ASSERT_STRING_EQUAL(call, "");
	fclose(file);
}

static void test_threads(void)
{
	int tids[8] = {0};
	size_t n = 0;
	FILE *file = fopen(path, "r");
	struct line line;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	while (read_line(file, &line)) {
		size_t i = 0;

		while (i < n && tids[i] != line.tid) {
			i++;
		}
		if (i == n && n < 8) {
			tids[n++] = line.tid;
		}
	}
	fclose(file);
	CU_ASSERT_EQUAL(n, 2);
	for (size_t i = 0; i < n; i++) {
		check_thread(tids[i]);
	}
}

/* An invalid file name makes cuInit fail. With a valid name cuInit succeeds again. */
static void test_no_file(void)
{
	setenv("KTAIL_SOFTGPU_LABELS", "/no/such/folder/labels.tsv", 1);
	CU_ASSERT_EQUAL(cuInit(0), KT_CU_INVALID_VALUE);
	CU_ASSERT_EQUAL(cuInit(0), KT_CU_INVALID_VALUE);
	setenv("KTAIL_SOFTGPU_LABELS", path, 1);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"no file", test_no_file}, {"each function", test_each_function},
		{"work", test_work},       {"threads", test_threads},
		CU_TEST_INFO_NULL,
	};
	int file = mkstemp(path);
	int status;

	if (file < 0) {
		return 1;
	}
	close(file);
	status = kt_run_suite("labels of the software GPU's driver", tests);
	unlink(path);
	return status;
}
