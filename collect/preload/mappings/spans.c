/* SPDX-License-Identifier: MIT */
#include "collect/preload/mappings/spans.h"

#include <stdatomic.h>

#define SPAN_MAX 16384 /* if more are needed, the last one covers the rest */
#define TRIES    64

/* Pages of this table that no mapping needs are never touched and cost no memory. */
static struct {
	_Atomic uintptr_t lo;
	_Atomic uintptr_t hi;
} spans[SPAN_MAX];

/* Odd while the spans change. A reader searches again if `version` is odd or changed. */
static _Atomic size_t version;
static _Atomic size_t n_spans;
static size_t n_next;

static _Atomic uintptr_t hull_lo = UINTPTR_MAX;
static _Atomic uintptr_t hull_hi = 0;

void kt_spans_begin(void)
{
	atomic_fetch_add(&version, 1);
	n_next = 0;
}

void kt_spans_add(uintptr_t start, size_t length)
{
	bool joins = n_next == SPAN_MAX || (n_next && spans[n_next - 1].hi == start);

	if (!joins) {
		spans[n_next++].lo = start;
	}
	spans[n_next - 1].hi = start + length;
}

void kt_spans_end(void)
{
	n_spans = n_next;
	hull_lo = n_next ? spans[0].lo : UINTPTR_MAX;
	hull_hi = n_next ? spans[n_next - 1].hi : 0;
	atomic_fetch_add(&version, 1);
}

bool kt_spans_may_touch(uintptr_t start, size_t length)
{
	uintptr_t end = length < UINTPTR_MAX - start ? start + length : UINTPTR_MAX;

	if (start >= hull_hi || end <= hull_lo) {
		return false;
	}
	for (int i = 0; i < TRIES; i++) {
		size_t before = version;
		size_t n = n_spans;
		size_t lo = 0;
		size_t hi = n;
		bool found;

		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (spans[mid].hi <= start) {
				lo = mid + 1;
			} else {
				hi = mid;
			}
		}
		/* Only the first span that ends above `start` can touch the range. */
		found = lo < n && spans[lo].lo < end;

		if (before % 2 == 0 && before == version) {
			return found;
		}
		__builtin_ia32_pause();
	}
	return true;
}
