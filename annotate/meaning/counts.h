/* SPDX-License-Identifier: MIT */
/*
 * How often each of many owners (states, transitions) had each of some texts. Texts are
 * kept once.
 */
#ifndef KTAIL_ANNOTATE_COUNTS_H
#define KTAIL_ANNOTATE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* Texts of a list in JSON, at most. */
#define KT_COUNTS_LISTED 8

typedef struct kt_counts kt_counts;

struct kt_counted {
	const char *text; /* the counts' */
	uint64_t count;
};

/* The caller owns *out. KT_E_MEMORY. */
int kt_counts_new(kt_counts **out);

/* NULL is allowed. */
void kt_counts_free(kt_counts *counts);

/* One more, or n, of a text for an owner. KT_E_MEMORY. O(length), expected. */
int kt_counts_add(kt_counts *counts, uint32_t owner, const char *text, uint64_t n);

/* Sorts what was counted; nothing can be added then. KT_E_MEMORY. O(entries log entries).
 */
int kt_counts_sort(kt_counts *counts);

/* What an owner has, most first, then by text; only after kt_counts_sort(). O(log n). */
const struct kt_counted *kt_counts_of(const kt_counts *counts, uint32_t owner, size_t *n);

/*
 * Sets `member` of an object to the list of what an owner has, [{key: text, "count": n}],
 * KT_COUNTS_LISTED at most, and {"more": n} after it if there are more. Nothing is set if
 * it has none. KT_E_MEMORY.
 */
int kt_counts_json(const kt_counts *counts, uint32_t owner, json_t *object,
		   const char *member, const char *key);

#endif
