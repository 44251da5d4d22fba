/* SPDX-License-Identifier: MIT */
#include "collect/object-table.h"

static struct kt_object *find(const struct kt_object_table *table, uint32_t client,
			      uint32_t object)
{
	for (size_t i = table->n; i-- > 0;) {
		if (table->items[i].object == object && table->items[i].client == client) {
			return &table->items[i];
		}
	}
	return NULL;
}

bool kt_object_table_add(struct kt_object_table *table, const struct kt_object *object)
{
	struct kt_object *slot = find(table, object->client, object->object);

	if (!slot) {
		if (!table->reserve((void **)&table->items, &table->capacity, table->n + 1,
				    sizeof(*table->items))) {
			return false;
		}
		slot = &table->items[table->n++];
	}
	*slot = *object;
	return true;
}

const struct kt_object *kt_object_table_find(const struct kt_object_table *table,
					     uint32_t client, uint32_t object)
{
	return find(table, client, object);
}

uint32_t kt_object_table_class(const struct kt_object_table *table, uint32_t client,
			       uint32_t object)
{
	const struct kt_object *found = find(table, client, object);

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
 * Copies the object and what is below it to below[], in order of allocation. Parents are
 * older than their children, so one walk finds all.
 */
static size_t collect_below(const struct kt_object_table *table, uint32_t client,
			    uint32_t object, struct kt_object *below)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++) {
		const struct kt_object *o = &table->items[i];
		bool is_below =
			o->client == client && (o->object == object || object == client);

		for (size_t j = 0; !is_below && o->client == client && j < n; j++) {
			is_below = below[j].object == o->parent;
		}
		if (is_below) {
			below[n++] = *o;
		}
	}
	return n;
}

/* Takes out gone[0..n), which are in the order of the table. */
static void remove_objects(struct kt_object_table *table, const struct kt_object *gone,
			   size_t n)
{
	size_t kept = 0;
	size_t next = 0;

	for (size_t i = 0; i < table->n; i++) {
		const struct kt_object *o = &table->items[i];

		if (next < n && o->object == gone[next].object &&
		    o->client == gone[next].client) {
			next++;
		} else {
			table->items[kept++] = *o;
		}
	}
	table->n = kept;
}

/* The last allocated first. */
static void reverse(struct kt_object *below, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct kt_object swapped = below[i];

		below[i] = below[n - 1 - i];
		below[n - 1 - i] = swapped;
	}
}

bool kt_object_table_each_below(struct kt_object_table *table, uint32_t client,
				uint32_t object, bool remove, kt_object_fn visit,
				void *context)
{
	struct kt_object *below = NULL;
	size_t capacity = 0;
	size_t n;

	if (!find(table, client, object)) {
		return true;
	}
	if (!table->reserve((void **)&below, &capacity, table->n + 1, sizeof(*below))) {
		return false;
	}
	n = collect_below(table, client, object, below);
	if (remove) {
		remove_objects(table, below, n);
	}
	reverse(below, n);
	sort_below(below, n);
	for (size_t i = 0; i < n; i++) {
		visit(&below[i], context);
	}
	table->release(below, capacity, sizeof(*below));
	return true;
}

void kt_object_table_clear(struct kt_object_table *table)
{
	table->release(table->items, table->capacity, sizeof(*table->items));
	table->items = NULL;
	table->n = table->capacity = 0;
}
