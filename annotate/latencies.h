/* SPDX-License-Identifier: MIT */
/* Times of one kind of thing, all of them kept: quantiles are exact. */
#ifndef KTAIL_ANNOTATE_LATENCIES_H
#define KTAIL_ANNOTATE_LATENCIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: none. */
struct kt_latencies {
	uint64_t *items; /* Owned by this; ns */
	size_t n;
	size_t capacity;
	bool sorted;
};

/* KT_E_MEMORY. Amortised O(1). */
int kt_latencies_add(struct kt_latencies *latencies, uint64_t ns);

/* By nearest rank, of 1000; 0 if there are none. O(n log n) once, then O(1). */
uint64_t kt_latencies_quantile(struct kt_latencies *latencies, unsigned permille);

void kt_latencies_free(struct kt_latencies *latencies);

#endif
