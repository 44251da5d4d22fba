/* SPDX-License-Identifier: MIT */
/*
 * A chained hash table with three keys: handle, parent and client. The slots also hold the
 * heads of the chains, so that the table is a single block of memory. A slot is referred to
 * by its index + 1; 0 means no slot.
 */
#include "decode/rm/object-table.h"

#include <string.h>

#define LAST UINT32_MAX /* end of a list of visited slots */

enum chain_key {
	BY_NAME,
	BY_PARENT,
	BY_CLIENT,
	KEYS,
};

struct chained {
	uint32_t next;
	uint32_t before; /* 0: first of its chain */
};

struct kt_object_slot {
	struct kt_object object;
	uint64_t number; /* ascending in order of allocation; 0: free */
	uint32_t head[KEYS];
	struct chained at[KEYS];
	uint32_t vacant; /* while free: the next free slot */
	/*
	 * while the slot is in a list of visited slots: the next slot in the list, or LAST;
	 * else 0
	 */
	uint32_t below;
};

static struct kt_object_slot *slot(const struct kt_object_table *table, uint32_t index)
{
	return &table->slots[index - 1];
}

/* --- chains --- */

static uint32_t second_of(const struct kt_object *object, enum chain_key key)
{
	return key == BY_NAME ? object->object : key == BY_PARENT ? object->parent : 0;
}

static uint32_t *head_of(const struct kt_object_table *table, enum chain_key key,
			 uint32_t client, uint32_t second)
{
	uint64_t hash = ((uint64_t)client << 32 | second) + table->seed;

	hash *= UINT64_C(0x9e3779b97f4a7c15);
	hash ^= hash >> 32;
	hash += table->seed;
	hash *= UINT64_C(0xd6e8feb86659fd93);
	hash >>= 32;
	return &table->slots[(uint32_t)hash % (uint32_t)table->capacity].head[key];
}

/*
 * Returns the first slot with the key (client, second) in a chain, from the slot `index`
 * on; 0 if no slot has this key.
 */
static uint32_t match(const struct kt_object_table *table, enum chain_key key,
		      uint32_t index, uint32_t client, uint32_t second)
{
	while (index) {
		const struct kt_object_slot *s = slot(table, index);

		if (s->object.client == client && second_of(&s->object, key) == second) {
			break;
		}
		index = s->at[key].next;
	}
	return index;
}

static uint32_t first(const struct kt_object_table *table, enum chain_key key,
		      uint32_t client, uint32_t second)
{
	if (!table->capacity) {
		return 0;
	}
	return match(table, key, *head_of(table, key, client, second), client, second);
}

static uint32_t next(const struct kt_object_table *table, enum chain_key key,
		     uint32_t index)
{
	const struct kt_object_slot *s = slot(table, index);

	return match(table, key, s->at[key].next, s->object.client,
		     second_of(&s->object, key));
}

static void chain(struct kt_object_table *table, enum chain_key key, uint32_t index)
{
	struct kt_object_slot *s = slot(table, index);
	uint32_t *head = head_of(table, key, s->object.client, second_of(&s->object, key));

	s->at[key] = (struct chained){.next = *head};
	if (*head) {
		slot(table, *head)->at[key].before = index;
	}
	*head = index;
}

static void unchain(struct kt_object_table *table, enum chain_key key, uint32_t index)
{
	const struct kt_object_slot *s = slot(table, index);
	struct chained at = s->at[key];

	if (at.next) {
		slot(table, at.next)->at[key].before = at.before;
	}
	if (at.before) {
		slot(table, at.before)->at[key].next = at.next;
	} else {
		*head_of(table, key, s->object.client, second_of(&s->object, key)) =
			at.next;
	}
}

/* --- slots --- */

/* Marks a slot as free (number 0) and adds it to the list of free slots. */
static void free_slot(struct kt_object_table *table, uint32_t index)
{
	struct kt_object_slot *s = slot(table, index);

	s->number = 0;
	s->below = 0;
	s->vacant = table->vacant;
	table->vacant = index;
}

/* Makes slots[n..capacity) free, and rebuilds all chains. */
static void take_slots(struct kt_object_table *table, size_t n)
{
	memset(table->slots + n, 0, (table->capacity - n) * sizeof(*table->slots));
	for (size_t i = table->capacity; i > n; i--) {
		free_slot(table, (uint32_t)i);
	}
	/* The capacity is part of the hash, so objects may have moved to other chains. */
	for (size_t i = 0; i < table->capacity; i++) {
		memset(table->slots[i].head, 0, sizeof(table->slots[i].head));
	}
	for (uint32_t i = 1; i <= table->capacity; i++) {
		for (enum chain_key key = 0; slot(table, i)->number && key < KEYS; key++) {
			chain(table, key, i);
		}
	}
}

/* --- objects --- */

bool kt_object_table_add(struct kt_object_table *table, const struct kt_object *object)
{
	uint32_t index = first(table, BY_NAME, object->client, object->object);

	if (index) {
		unchain(table, BY_PARENT, index);
		slot(table, index)->object = *object;
		chain(table, BY_PARENT, index);
		return true;
	}
	if (!table->vacant) {
		size_t n = table->capacity;

		if (n >= UINT32_MAX / 4 ||
		    !table->reserve((void **)&table->slots, &table->capacity, n + 1,
				    sizeof(*table->slots))) {
			return false;
		}
		take_slots(table, n);
	}
	index = table->vacant;
	table->vacant = slot(table, index)->vacant;
	slot(table, index)->object = *object;
	slot(table, index)->number = ++table->added;
	for (enum chain_key key = 0; key < KEYS; key++) {
		chain(table, key, index);
	}
	return true;
}

const struct kt_object *kt_object_table_find(const struct kt_object_table *table,
					     uint32_t client, uint32_t object)
{
	uint32_t index = first(table, BY_NAME, client, object);

	return index ? &slot(table, index)->object : NULL;
}

uint32_t kt_object_table_class(const struct kt_object_table *table, uint32_t client,
			       uint32_t object)
{
	const struct kt_object *found = kt_object_table_find(table, client, object);

	return found ? found->class_ : 0;
}

/* --- objects below an object --- */

/* A list linked by slots[].below. */
struct chosen {
	uint32_t first; /* LAST: empty */
	uint32_t last;
};

static void append(struct kt_object_table *table, struct chosen *list, uint32_t index)
{
	if (list->first == LAST) {
		list->first = index;
	} else {
		slot(table, list->last)->below = index;
	}
	slot(table, index)->below = LAST;
	list->last = index;
}

/* Appends all slots with the key (client, second) that are not yet in the list. */
static void append_all(struct kt_object_table *table, struct chosen *list,
		       enum chain_key key, uint32_t client, uint32_t second)
{
	for (uint32_t i = first(table, key, client, second); i; i = next(table, key, i)) {
		if (!slot(table, i)->below) {
			append(table, list, i);
		}
	}
}

/*
 * Returns a list of an object and all objects below it, or, if the object is a client, of
 * all objects of the client, in no particular order. Parents may form a cycle, so slots
 * already in the list are not visited again.
 */
static uint32_t collect_below(struct kt_object_table *table, uint32_t client,
			      uint32_t object)
{
	struct chosen list = {.first = LAST};

	if (object == client) {
		append_all(table, &list, BY_CLIENT, client, 0);
		return list.first;
	}
	append_all(table, &list, BY_NAME, client, object);
	append_all(table, &list, BY_PARENT, client, object);
	for (uint32_t i = list.first; i != LAST; i = slot(table, i)->below) {
		append_all(table, &list, BY_PARENT, client, slot(table, i)->object.object);
	}
	return list.first;
}

/*
 * Orders pinned memory first, by address, then all other objects, the last allocated first.
 */
static bool comes_before(const struct kt_object_slot *x, const struct kt_object_slot *y)
{
	if (x->object.mapping && y->object.mapping &&
	    x->object.address != y->object.address) {
		return x->object.address < y->object.address;
	}
	if (!x->object.mapping != !y->object.mapping) {
		return x->object.mapping;
	}
	return x->number > y->number;
}

/* Splits a list after its first n slots; *rest is the remainder. */
static uint32_t cut(struct kt_object_table *table, uint32_t list, size_t n, uint32_t *rest)
{
	uint32_t at = list;

	while (at != LAST && --n) {
		at = slot(table, at)->below;
	}
	*rest = LAST;
	if (at != LAST) {
		*rest = slot(table, at)->below;
		slot(table, at)->below = LAST;
	}
	return list;
}

/*
 * Sorts a list by merging runs of 1, 2, 4 ... slots; this needs neither memory nor
 * recursion.
 */
static uint32_t sort_list(struct kt_object_table *table, uint32_t list)
{
	size_t merges = 2;

	for (size_t run = 1; merges > 1; run *= 2) {
		struct chosen sorted = {.first = LAST};

		for (merges = 0; list != LAST; merges++) {
			uint32_t x = cut(table, list, run, &list);
			uint32_t y = cut(table, list, run, &list);

			while (x != LAST || y != LAST) {
				bool is_x = y == LAST ||
					    (x != LAST &&
					     comes_before(slot(table, x), slot(table, y)));
				uint32_t *from = is_x ? &x : &y;
				uint32_t index = *from;

				*from = slot(table, index)->below;
				append(table, &sorted, index);
			}
		}
		list = sorted.first;
	}
	return list;
}

void kt_object_table_each_below(struct kt_object_table *table, uint32_t client,
				uint32_t object, bool remove, kt_object_fn visit,
				void *context)
{
	uint32_t list = sort_list(table, collect_below(table, client, object));

	for (uint32_t i = remove ? list : LAST; i != LAST; i = slot(table, i)->below) {
		for (enum chain_key key = 0; key < KEYS; key++) {
			unchain(table, key, i);
		}
	}
	while (list != LAST) {
		struct kt_object_slot *s = slot(table, list);
		uint32_t index = list;

		list = s->below;
		visit(&s->object, context);
		s->below = 0;
		if (remove) {
			free_slot(table, index);
		}
	}
}

/* --- whole tables --- */

bool kt_object_table_copy(struct kt_object_table *to, const struct kt_object_table *from)
{
	if (!from->capacity) {
		return true;
	}
	if (!to->reserve((void **)&to->slots, &to->capacity, from->capacity,
			 sizeof(*to->slots))) {
		return false;
	}
	memcpy(to->slots, from->slots, from->capacity * sizeof(*to->slots));
	to->vacant = from->vacant;
	to->added = from->added;
	to->seed = from->seed;
	take_slots(to, from->capacity);
	return true;
}

void kt_object_table_clear(struct kt_object_table *table)
{
	table->release(table->slots, table->capacity, sizeof(*table->slots));
	table->slots = NULL;
	table->capacity = 0;
	table->vacant = 0;
}
