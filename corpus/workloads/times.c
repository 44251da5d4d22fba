/* SPDX-License-Identifier: MIT */
#include "corpus/workloads/times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "corpus/workloads/common.h"

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

void kt_times_tell(struct kt_times *times, const char *what, const char *noun)
{
	if (times->n == 0) {
		return;
	}
	qsort(times->ns, times->n, sizeof(*times->ns), compare);
	fprintf(stderr, "%s: %zu %s, median %" PRIu64 " ns, p99 %" PRIu64 " ns\n", what,
		times->n, noun, times->ns[times->n / 2], times->ns[times->n * 99 / 100]);
	times->n = 0;
}
