/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/counts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/hash-index.h"
#include "base/texts.h"
#include "base/try.h"

struct entry {
	uint32_t owner;
	uint32_t text;
	uint64_t count;
};

struct kt_counts {
	struct kt_texts texts;
	struct entry *entries; /* Owned by this */
	size_t n_entries;
	size_t entries_capacity;
	struct kt_hash_index by_owner; /* indexes in entries, by owner and text */
	struct kt_counted *sorted;     /* Owned by this; NULL before kt_counts_sort() */
};

int kt_counts_new(kt_counts **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? KT_OK : kt_no_memory("count");
}

void kt_counts_free(kt_counts *counts)
{
	if (!counts) {
		return;
	}
	kt_texts_free(&counts->texts);
	free(counts->entries);
	kt_hash_free(&counts->by_owner);
	free(counts->sorted);
	free(counts);
}

int kt_counts_add(kt_counts *counts, uint32_t owner, const char *text, uint64_t n)
{
	struct kt_hash_probe probe;
	uint32_t number;
	uint32_t hash;
	uint32_t i;

	KT_TRY(kt_texts_add(&counts->texts, text, &number));
	hash = kt_hash_number((uint64_t)owner << 32 | number);
	probe = kt_hash_probe(&counts->by_owner, hash);
	while (kt_hash_next(&counts->by_owner, &probe, &i)) {
		struct entry *entry = &counts->entries[i];

		if (entry->owner == owner && entry->text == number) {
			entry->count += n;
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&counts->entries, &counts->entries_capacity,
				counts->n_entries + 1));
	if (kt_hash_add(&counts->by_owner, hash, counts->n_entries)) {
		return kt_no_memory("count");
	}
	counts->entries[counts->n_entries++] = (struct entry){owner, number, n};
	return KT_OK;
}

/* A copy of an entry for sorting, with the text instead of the number of the text. */
struct row {
	uint32_t owner;
	struct kt_counted counted;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a;
	const struct row *y = b;

	if (x->owner != y->owner) {
		return x->owner < y->owner ? -1 : 1;
	}
	if (x->counted.count != y->counted.count) {
		return x->counted.count > y->counted.count ? -1 : 1;
	}
	return strcmp(x->counted.text, y->counted.text);
}

int kt_counts_sort(kt_counts *counts)
{
	size_t n = counts->n_entries;
	struct row *rows = calloc(n + 1, sizeof(*rows));
	struct kt_counted *sorted = calloc(n + 1, sizeof(*sorted));

	if (!rows || !sorted) {
		free(rows);
		free(sorted);
		return kt_no_memory("count");
	}
	for (size_t i = 0; i < n; i++) {
		const struct entry *entry = &counts->entries[i];

		rows[i].owner = entry->owner;
		rows[i].counted =
			(struct kt_counted){counts->texts.items[entry->text], entry->count};
	}
	qsort(rows, n, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < n; i++) {
		/*
		 * From now on, only the owner is read from `entries`; text and count are
		 * read from `sorted`.
		 */
		counts->entries[i].owner = rows[i].owner;
		sorted[i] = rows[i].counted;
	}
	free(rows);
	free(counts->sorted);
	counts->sorted = sorted;
	return KT_OK;
}

/* Returns the index of the first entry whose owner is not below `owner`. */
static size_t find_owner(const kt_counts *counts, uint64_t owner)
{
	size_t from = 0;
	size_t to = counts->n_entries;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (counts->entries[middle].owner < owner) {
			from = middle + 1;
		} else {
			to = middle;
		}
	}
	return from;
}

const struct kt_counted *kt_counts_of(const kt_counts *counts, uint32_t owner, size_t *n)
{
	size_t from = find_owner(counts, owner);

	*n = find_owner(counts, (uint64_t)owner + 1) - from;
	return *n ? &counts->sorted[from] : NULL;
}

int kt_counts_json(const kt_counts *counts, uint32_t owner, json_t *object,
		   const char *member, const char *key)
{
	size_t n;
	const struct kt_counted *counted = kt_counts_of(counts, owner, &n);
	size_t shown = n < KT_COUNTS_LISTED ? n : KT_COUNTS_LISTED;
	json_t *list = n ? json_array() : NULL;
	bool failed = !list;

	if (n == 0) {
		return KT_OK;
	}
	for (size_t i = 0; i < shown && !failed; i++) {
		failed = json_array_append_new(
			list, json_pack("{s:s, s:I}", key, counted[i].text, "count",
					(json_int_t)counted[i].count));
	}
	if (n > shown && !failed) {
		failed = json_array_append_new(
			list, json_pack("{s:I}", "more", (json_int_t)(n - shown)));
	}
	/*
	 * json_object_set_new() takes the reference to the list even if it fails, so release
	 * the list only if the function was not called.
	 */
	if (failed || json_object_set_new(object, member, list)) {
		if (failed) {
			json_decref(list);
		}
		return kt_no_memory("write counts as JSON");
	}
	return KT_OK;
}
