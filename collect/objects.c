/* SPDX-License-Identifier: MIT */
#include "collect/objects.h"

#include <stdbool.h>
#include <string.h>

#include "collect/memory.h"

static struct {
	struct kt_object *items; /* Owned by this; in order of allocation */
	size_t n;
	size_t capacity;
} table;

static struct kt_object *find(uint32_t client, uint32_t object)
{
	for (size_t i = table.n; i-- > 0;) {
		if (table.items[i].object == object && table.items[i].client == client) {
			return &table.items[i];
		}
	}
	return NULL;
}

void kt_object_add(const struct kt_object *object)
{
	struct kt_object *slot = find(object->client, object->object);

	if (!slot) {
		if (!kt_table_reserve((void **)&table.items, &table.capacity, table.n + 1,
				      sizeof(*table.items))) {
			return;
		}
		slot = &table.items[table.n++];
	}
	*slot = *object;
}

const struct kt_object *kt_object_find(uint32_t client, uint32_t object)
{
	return find(client, object);
}

uint32_t kt_object_class(uint32_t client, uint32_t object)
{
	const struct kt_object *found = find(client, object);

	return found ? found->class_ : 0;
}

/* Pinned memory comes first, by address. */
static bool comes_before(const struct kt_object *x, const struct kt_object *y)
{
	if (!x->mapping || !y->mapping) {
		return x->mapping && !y->mapping;
	}
	return x->address < y->address;
}

/* Insertion sort, stable: hardly ever is more than a handful pinned, and those come late.
 */
static void sort_below(struct kt_object *below, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct kt_object moved = below[i];
		size_t j = i;

		for (; j > 0 && comes_before(&moved, &below[j - 1]); j--) {
			below[j] = below[j - 1];
		}
		below[j] = moved;
	}
}

/*
 * Copies the object and what is below it to below[], the last allocated first. Parents are
 * older than their children, so one walk finds all.
 */
static size_t collect_below(uint32_t client, uint32_t object, struct kt_object *below)
{
	size_t n = 0;

	for (size_t i = 0; i < table.n; i++) {
		const struct kt_object *o = &table.items[i];
		bool is_below =
			o->client == client && (o->object == object || object == client);

		for (size_t j = 0; !is_below && o->client == client && j < n; j++) {
			is_below = below[j].object == o->parent;
		}
		if (is_below) {
			below[n++] = *o;
		}
	}
	for (size_t i = 0; i < n / 2; i++) {
		struct kt_object swapped = below[i];

		below[i] = below[n - 1 - i];
		below[n - 1 - i] = swapped;
	}
	return n;
}

static void remove_objects(const struct kt_object *gone, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct kt_object *slot = find(gone[i].client, gone[i].object);

		if (slot) {
			memmove(slot, slot + 1,
				(size_t)(&table.items[table.n] - (slot + 1)) *
					sizeof(*slot));
			table.n--;
		}
	}
}

void kt_object_each_below(uint32_t client, uint32_t object, int remove, kt_object_fn visit,
			  void *context)
{
	struct kt_object *below = NULL;
	size_t capacity = 0;
	size_t n;

	if (!find(client, object) ||
	    !kt_table_reserve((void **)&below, &capacity, table.n + 1, sizeof(*below))) {
		return;
	}
	n = collect_below(client, object, below);
	sort_below(below, n);
	if (remove) {
		remove_objects(below, n);
	}
	for (size_t i = 0; i < n; i++) {
		visit(&below[i], context);
	}
	kt_table_free(below, capacity, sizeof(*below));
}
