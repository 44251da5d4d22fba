/* SPDX-License-Identifier: MIT */
/*
 * Objects of the resource manager that one process has made: handle, class, parent. A
 * handle is unique within its client; freeing an object frees all below it, freeing a
 * client all it holds. Plain C that the recorder and the kernel module share: memory comes
 * from the table's owner, who thereby says how many objects there may be. Only adding takes
 * memory: a free is followed however full the table is, and makes room.
 */
#ifndef KTAIL_COLLECT_OBJECT_TABLE_H
#define KTAIL_COLLECT_OBJECT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_object {
	uint32_t client;
	uint32_t object;
	uint32_t parent;
	uint32_t class_;
	/* User memory that was registered ("pin"); mapping is 0 for all else */
	uint32_t mapping;
	uint64_t address;
	uint64_t length;
};

struct kt_object_slot; /* object-table.c */

struct kt_object_table {
	struct kt_object_slot *slots; /* Owned by this */
	size_t capacity;
	uint32_t vacant; /* the first of the slots that are free */
	uint64_t added;  /* so far: what the order of allocation is known by */
	uint64_t seed;   /* of hashes: where handles may be chosen to make it slow */
	/* Makes room for `need` elements of `size` bytes. false: there is none, nothing
	 * has changed. */
	bool (*reserve)(void **items, size_t *capacity, size_t need, size_t size);
	void (*release)(void *items, size_t capacity, size_t size);
};

/* Adds or replaces an object, which then keeps its place in the order. false: no room, it
 * stays unknown. */
bool kt_object_table_add(struct kt_object_table *table, const struct kt_object *object);

/* The object, or NULL. Valid until the next add or remove. */
const struct kt_object *kt_object_table_find(const struct kt_object_table *table,
					     uint32_t client, uint32_t object);

/* Class of the object, 0 if it is unknown. */
uint32_t kt_object_table_class(const struct kt_object_table *table, uint32_t client,
			       uint32_t object);

typedef void (*kt_object_fn)(const struct kt_object *object, void *context);

/*
 * Calls visit for the object and all below it that is known, also where the object itself
 * is not: pinned ones by address, then the others, the last allocated first; before that
 * they are taken out if `remove` is set. visit must not change the table. O(m log m) for m
 * that are visited.
 */
void kt_object_table_each_below(struct kt_object_table *table, uint32_t client,
				uint32_t object, bool remove, kt_object_fn visit,
				void *context);

/* Makes `to` what `from` is; it was empty. false: no room, it stays so. O(capacity). */
bool kt_object_table_copy(struct kt_object_table *to, const struct kt_object_table *from);

/* Gives its memory back. */
void kt_object_table_clear(struct kt_object_table *table);

#endif
