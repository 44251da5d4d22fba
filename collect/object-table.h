/* SPDX-License-Identifier: MIT */
/*
 * Objects of the resource manager that one process has made: handle, class, parent. A
 * handle is unique within its client; freeing an object frees all below it, freeing a
 * client all it holds. Plain C that the recorder and the kernel module share: memory comes
 * from the table's owner.
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

struct kt_object_table {
	struct kt_object *items; /* Owned by this; in order of allocation */
	size_t n;
	size_t capacity;
	/* Makes room for `need` elements of `size` bytes. false: there is none, nothing
	 * has changed. */
	bool (*reserve)(void **items, size_t *capacity, size_t need, size_t size);
	void (*release)(void *items, size_t capacity, size_t size);
};

/* Adds or replaces an object. false: out of memory, it stays unknown. O(n). */
bool kt_object_table_add(struct kt_object_table *table, const struct kt_object *object);

/* The object, or NULL. Valid until the next add or remove. O(n). */
const struct kt_object *kt_object_table_find(const struct kt_object_table *table,
					     uint32_t client, uint32_t object);

/* Class of the object, 0 if it is unknown. O(n). */
uint32_t kt_object_table_class(const struct kt_object_table *table, uint32_t client,
			       uint32_t object);

typedef void (*kt_object_fn)(const struct kt_object *object, void *context);

/*
 * Calls visit for the object and all below it: pinned ones by address, then the others from
 * the bottom up; before that they are taken out if `remove` is set. false: out of memory,
 * nothing was done. O(n * visited).
 */
bool kt_object_table_each_below(struct kt_object_table *table, uint32_t client,
				uint32_t object, bool remove, kt_object_fn visit,
				void *context);

/* Gives its memory back. */
void kt_object_table_clear(struct kt_object_table *table);

#endif
