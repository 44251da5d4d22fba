/* SPDX-License-Identifier: MIT */
#include "annotate/events/times.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/try.h"

int kt_times_add(struct kt_times *times, uint32_t owner, uint64_t time)
{
	KT_TRY(kt_array_reserve(&times->samples, &times->capacity, times->n + 1));
	times->samples[times->n].time = time;
	times->samples[times->n++].owner = owner;
	return KT_OK;
}

static int compare(const void *a, const void *b)
{
	const struct kt_time_sample *x = a;
	const struct kt_time_sample *y = b;

	if (x->owner != y->owner) {
		return x->owner < y->owner ? -1 : 1;
	}
	return x->time < y->time ? -1 : x->time > y->time;
}

void kt_times_sort(struct kt_times *times)
{
	if (times->n > 0) {
		qsort(times->samples, times->n, sizeof(*times->samples), compare);
	}
}

/* Returns the index of the first sample whose owner is not below `owner`. */
static size_t find(const struct kt_times *times, uint64_t owner)
{
	size_t from = 0;
	size_t to = times->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (times->samples[middle].owner < owner) {
			from = middle + 1;
		} else {
			to = middle;
		}
	}
	return from;
}

/*
 * Returns the smallest sample x for which at least `percent` % of the samples, which are
 * sorted, are x or less.
 */
static uint64_t nearest_rank(const struct kt_time_sample *samples, size_t n, size_t percent)
{
	/* n * percent / 100, rounded up, without overflow. */
	size_t rank = n / 100 * percent + (n % 100 * percent + 99) / 100;

	return samples[rank - 1].time;
}

struct kt_time_summary kt_times_of(const struct kt_times *times, uint32_t owner)
{
	size_t from = find(times, owner);
	size_t n = find(times, (uint64_t)owner + 1) - from;
	struct kt_time_summary summary = {.n = n};

	if (n == 0) {
		return summary;
	}
	for (size_t i = from; i < from + n; i++) {
		summary.total += times->samples[i].time;
	}
	summary.median = nearest_rank(&times->samples[from], n, 50);
	summary.p99 = nearest_rank(&times->samples[from], n, 99);
	return summary;
}

void kt_times_free(struct kt_times *times)
{
	free(times->samples);
	memset(times, 0, sizeof(*times));
}
