/* SPDX-License-Identifier: MIT */
#include "annotate/latencies.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

int kt_latencies_add(struct kt_latencies *l, uint64_t ns)
{
	int code = kt_array_reserve(&l->items, &l->capacity, l->n + 1);

	if (!code) {
		l->items[l->n++] = ns;
		l->sorted = false;
	}
	return code;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t kt_latencies_quantile(struct kt_latencies *l, unsigned permille)
{
	size_t rank;

	if (l->n == 0) {
		return 0;
	}
	if (!l->sorted) {
		qsort(l->items, l->n, sizeof(*l->items), compare);
		l->sorted = true;
	}
	rank = (l->n * permille + 999) / 1000;
	return l->items[rank ? rank - 1 : 0];
}

void kt_latencies_free(struct kt_latencies *l)
{
	free(l->items);
	memset(l, 0, sizeof(*l));
}
