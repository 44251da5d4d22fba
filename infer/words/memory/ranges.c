/* SPDX-License-Identifier: MIT */
#include "infer/words/memory/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/try.h"

/* Orders by process instance, mapping and first byte. */
static int compare(const void *a, const void *b)
{
	const struct kt_range *x = a;
	const struct kt_range *y = b;

	if (x->instance != y->instance) {
		return x->instance < y->instance ? -1 : 1;
	}
	if (x->mapping != y->mapping) {
		return x->mapping < y->mapping ? -1 : 1;
	}
	return x->from < y->from ? -1 : x->from > y->from;
}

void kt_ranges_settle(struct kt_ranges *ranges)
{
	size_t n = 0;

	if (ranges->settled == ranges->n) {
		return;
	}
	qsort(ranges->items, ranges->n, sizeof(*ranges->items), compare);
	for (size_t i = 0; i < ranges->n; i++) {
		const struct kt_range *range = &ranges->items[i];
		struct kt_range *last = n > 0 ? &ranges->items[n - 1] : NULL;

		if (last && last->instance == range->instance &&
		    last->mapping == range->mapping && last->to >= range->from) {
			last->to = range->to > last->to ? range->to : last->to;
		} else {
			ranges->items[n++] = *range;
		}
	}
	ranges->n = n;
	ranges->settled = n;
}

int kt_ranges_add(struct kt_ranges *ranges, const struct kt_range *range)
{
	/*
	 * The same ranges are often added again, so merge whenever the number of ranges has
	 * doubled.
	 */
	if (ranges->n > 1024 && ranges->n >= 2 * ranges->settled) {
		kt_ranges_settle(ranges);
	}
	KT_TRY(kt_array_reserve(&ranges->items, &ranges->capacity, ranges->n + 1));
	if (range->from < range->to) {
		ranges->items[ranges->n++] = *range;
	}
	return KT_OK;
}

bool kt_ranges_hold(const struct kt_ranges *ranges, uint64_t instance, uint32_t mapping,
		    uint64_t offset)
{
	const struct kt_range key = {instance, mapping, offset, 0};
	size_t from = 0;
	size_t to = ranges->settled;

	/* Find the last range that begins at or before the offset. */
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare(&ranges->items[middle], &key) <= 0) {
			from = middle + 1;
		} else {
			to = middle;
		}
	}
	return from > 0 && ranges->items[from - 1].instance == instance &&
	       ranges->items[from - 1].mapping == mapping &&
	       ranges->items[from - 1].to > offset;
}

void kt_ranges_free(struct kt_ranges *ranges)
{
	free(ranges->items);
	memset(ranges, 0, sizeof(*ranges));
}
