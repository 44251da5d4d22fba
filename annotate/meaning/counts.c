/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/counts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/texts.h"

/* Entries in a table of places with open addressing, at most half full. */
struct table {
	uint32_t *places; /* Owned by this: index + 1; 0: free */
	size_t size;      /* a power of two, or 0 */
};

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
	struct table by_owner;
	struct kt_counted *sorted; /* Owned by this; beside entries, once sorted */
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
	free(counts->by_owner.places);
	free(counts->sorted);
	free(counts);
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	return x ^ (x >> 29);
}

static uint64_t hash_entry(uint32_t owner, uint32_t text)
{
	return mix((uint64_t)owner << 32 | text);
}

static void put(struct table *table, uint64_t hash, uint32_t i)
{
	size_t place = hash & (table->size - 1);

	while (table->places[place]) {
		place = (place + 1) & (table->size - 1);
	}
	table->places[place] = i + 1;
}

/* Makes room for one more. */
static int grow(kt_counts *counts)
{
	struct table *table = &counts->by_owner;
	size_t n = counts->n_entries;
	struct table larger = {.size = table->size ? 2 * table->size : 64};

	if (2 * (n + 1) <= table->size) {
		return KT_OK;
	}
	larger.places =
		n < UINT32_MAX / 4 ? calloc(larger.size, sizeof(*larger.places)) : NULL;
	if (!larger.places) {
		return kt_no_memory("count");
	}
	for (uint32_t i = 0; i < n; i++) {
		put(&larger, hash_entry(counts->entries[i].owner, counts->entries[i].text),
		    i);
	}
	free(table->places);
	*table = larger;
	return KT_OK;
}

int kt_counts_add(kt_counts *counts, uint32_t owner, const char *text, uint64_t n)
{
	struct table *table = &counts->by_owner;
	struct entry *entry;
	uint32_t number;
	int code = kt_texts_add(&counts->texts, text, &number);

	code = code ? code : grow(counts);
	code = code ? code
		    : kt_array_reserve(&counts->entries, &counts->entries_capacity,
				       counts->n_entries + 1);
	if (code) {
		return code;
	}
	for (size_t place = hash_entry(owner, number) & (table->size - 1);
	     table->places[place]; place = (place + 1) & (table->size - 1)) {
		entry = &counts->entries[table->places[place] - 1];
		if (entry->owner == owner && entry->text == number) {
			entry->count += n;
			return KT_OK;
		}
	}
	counts->entries[counts->n_entries] = (struct entry){owner, number, n};
	put(table, hash_entry(owner, number), (uint32_t)counts->n_entries++);
	return KT_OK;
}

/* What is sorted: an entry with its text. */
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
		/* The entries' order is nobody's any more but that of their owners. */
		counts->entries[i].owner = rows[i].owner;
		sorted[i] = rows[i].counted;
	}
	free(rows);
	free(counts->sorted);
	counts->sorted = sorted;
	return KT_OK;
}

/* The first entry of an owner that is not below. */
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
	/* Gives the list away, also if it fails. */
	if (failed || json_object_set_new(object, member, list)) {
		if (failed) {
			json_decref(list);
		}
		return kt_no_memory("write counts as JSON");
	}
	return KT_OK;
}
