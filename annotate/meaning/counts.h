/* SPDX-License-Identifier: MIT */
/*
 * Counts texts for each owner. An owner is a number that the caller chooses, for example for a
 * state or a transition. Each text is stored once.
 */
#ifndef KTAIL_ANNOTATE_COUNTS_H
#define KTAIL_ANNOTATE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* Maximum number of texts in a JSON list. */
#define KT_COUNTS_LISTED 8

typedef struct kt_counts kt_counts;

struct kt_counted {
	const char *text; /* Weak: owned by the counts */
	uint64_t count;
};

/* The caller owns *out. KT_E_MEMORY. */
int kt_counts_new(kt_counts **out);

/* NULL is allowed. */
void kt_counts_free(kt_counts *counts);

/* Adds n occurrences of a text to an owner. KT_E_MEMORY. O(length), expected. */
int kt_counts_add(kt_counts *counts, uint32_t owner, const char *text, uint64_t n);

/* Sorts the counts; nothing may be added afterwards. KT_E_MEMORY. O(entries log entries). */
int kt_counts_sort(kt_counts *counts);

/*
 * Returns the texts of an owner and sets *n to their number; NULL if the owner has no text.
 * The most frequent text is first; equally frequent texts are in byte order. Call only after
 * kt_counts_sort(). O(log entries).
 */
const struct kt_counted *kt_counts_of(const kt_counts *counts, uint32_t owner, size_t *n);

/*
 * Sets `member` of an object to at most KT_COUNTS_LISTED texts of an owner, [{key: text,
 * "count": n}, ...]; if the owner has n more texts, {"more": n} follows. If the owner has no
 * text, the object is unchanged. Call only after kt_counts_sort(). KT_E_MEMORY.
 */
int kt_counts_json(const kt_counts *counts, uint32_t owner, json_t *object,
		   const char *member, const char *key);

#endif
