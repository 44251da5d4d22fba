/* SPDX-License-Identifier: MIT */
#include "collect/objects.h"

#include <stdlib.h>
#include <string.h>

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
		if (table.n == table.capacity) {
			size_t capacity = table.capacity ? table.capacity * 2 : 256;
			void *grown = realloc(table.items, capacity * sizeof(*table.items));

			if (!grown) {
				return;
			}
			table.items = grown;
			table.capacity = capacity;
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

static int by_address(const void *a, const void *b)
{
	const struct kt_object *x = a;
	const struct kt_object *y = b;

	if (!x->mapping != !y->mapping) {
		return x->mapping ? -1 : 1;
	}
	if (x->mapping && x->address != y->address) {
		return x->address < y->address ? -1 : 1;
	}
	return 0;
}

/* Marks what is below: parents come before their children in order of allocation. */
static size_t mark_below(uint32_t client, uint32_t object, unsigned char *marked,
			 uint32_t *handles)
{
	size_t n = 0;

	for (size_t i = 0; i < table.n; i++) {
		const struct kt_object *o = &table.items[i];

		marked[i] =
			o->client == client && (o->object == object || object == client);
		for (size_t j = 0; !marked[i] && o->client == client && j < n; j++) {
			marked[i] = handles[j] == o->parent;
		}
		if (marked[i]) {
			handles[n++] = o->object;
		}
	}
	return n;
}

static void remove_marked(const unsigned char *marked)
{
	size_t kept = 0;

	for (size_t i = 0; i < table.n; i++) {
		if (!marked[i]) {
			table.items[kept++] = table.items[i];
		}
	}
	table.n = kept;
}

void kt_object_each_below(uint32_t client, uint32_t object, int remove, kt_object_fn visit,
			  void *context)
{
	unsigned char *marked = malloc(table.n + 1);
	uint32_t *handles = malloc((table.n + 1) * sizeof(*handles));
	size_t n = marked && handles ? mark_below(client, object, marked, handles) : 0;
	struct kt_object *below = n ? malloc(n * sizeof(*below)) : NULL;
	size_t filled = 0;

	free(handles);
	if (!below) {
		free(marked);
		return;
	}
	for (size_t i = table.n; i-- > 0;) {
		if (marked[i]) {
			below[filled++] = table.items[i];
		}
	}
	qsort(below, n, sizeof(*below), by_address);
	if (remove) {
		remove_marked(marked);
	}
	for (size_t i = 0; i < n; i++) {
		visit(&below[i], context);
	}
	free(below);
	free(marked);
}
