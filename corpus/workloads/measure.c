/* SPDX-License-Identifier: MIT */
#include "corpus/workloads/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "corpus/workloads/common.h"

/* --- marks --- */

enum { WORDS = 4 };

void kt_marks_make(struct kt_marks *marks)
{
	void *words = NULL;

	KT_CU(cuMemAlloc, &marks->buffer, WORDS * sizeof(uint32_t));
	KT_CU(cuMemAllocHost, &words, WORDS * sizeof(uint32_t));
	marks->words = words;
}

void kt_marks_free(struct kt_marks *marks)
{
	if (marks->words) {
		KT_CU(cuMemFreeHost, marks->words);
		KT_CU(cuMemFree, marks->buffer);
	}
	*marks = (struct kt_marks){0};
}

void kt_mark(const struct kt_marks *marks, uint32_t what, uint32_t number)
{
	if (!marks->words) {
		return;
	}
	KT_CU(cuStreamSynchronize, NULL);
	marks->words[0] = KT_MARK_0;
	marks->words[1] = KT_MARK_1;
	marks->words[2] = what;
	marks->words[3] = number;
	KT_CU(cuMemcpyHtoD, marks->buffer, marks->words, WORDS * sizeof(uint32_t));
	KT_CU(cuStreamSynchronize, NULL);
}

void kt_mark_end(const struct kt_marks *marks)
{
	kt_mark(marks, 0, 0);
	kt_mark(marks, 0, 1);
}

/* --- times --- */

uint64_t kt_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void kt_times_make(struct kt_times *times, size_t capacity)
{
	times->ns = kt_work_allocate(capacity * sizeof(*times->ns));
	times->n = 0;
	times->capacity = capacity;
}

void kt_times_free(struct kt_times *times)
{
	free(times->ns);
	*times = (struct kt_times){0};
}

void kt_times_add(struct kt_times *times, uint64_t begin)
{
	if (times->n < times->capacity) {
		times->ns[times->n++] = kt_now_ns() - begin;
	}
}

static int compare(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x;
	uint64_t b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

void kt_times_report(struct kt_times *times, const char *what, const char *noun)
{
	if (times->n == 0) {
		return;
	}
	qsort(times->ns, times->n, sizeof(*times->ns), compare);
	fprintf(stderr, "%s: %zu %s, median %" PRIu64 " ns, p99 %" PRIu64 " ns\n", what,
		times->n, noun, times->ns[times->n / 2], times->ns[times->n * 99 / 100]);
	times->n = 0;
}
