/* SPDX-License-Identifier: MIT */
/*
 * Holds the resource-manager objects of one process: handle, class, parent. A handle is
 * unique within its client. Freeing an object frees all objects below it, and freeing a
 * client frees all its objects.
 *
 * Plain C shared by the recorder and the kernel module. The owner of the table provides
 * functions that reserve and release memory, and can thereby limit the number of objects.
 * Adding an object may need memory; removing objects never does, and frees their slots.
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
	/*
	 * The next three members describe registered user memory ("pin"). `mapping` is 0
	 * for other objects.
	 */
	uint32_t mapping;
	uint64_t address;
	uint64_t length;
};

struct kt_object_slot; /* defined in object-table.c */

struct kt_object_table {
	struct kt_object_slot *slots; /* Owned by this */
	size_t capacity;
	uint32_t vacant; /* first free slot */
	uint64_t added;  /* number of objects added so far; gives the order of allocation */
	/* seed of the hashes; random if an application might choose handles that collide */
	uint64_t seed;
	/*
	 * Makes *items an array of at least `need` elements of `size` bytes each, and sets
	 * *capacity to the length of the array. Returns false, and changes nothing, if
	 * memory is exhausted.
	 */
	bool (*reserve)(void **items, size_t *capacity, size_t need, size_t size);
	void (*release)(void *items, size_t capacity, size_t size);
};

/*
 * Adds an object. If an object with this client and handle exists, the new object replaces
 * it and takes the position of the old one in the order of allocation. Returns false, and
 * adds nothing, if there is not enough memory.
 */
bool kt_object_table_add(struct kt_object_table *table, const struct kt_object *object);

/* Finds an object; NULL if unknown. The result is valid until the next add or remove. */
const struct kt_object *kt_object_table_find(const struct kt_object_table *table,
					     uint32_t client, uint32_t object);

/* Returns the class of an object, 0 if unknown. */
uint32_t kt_object_table_class(const struct kt_object_table *table, uint32_t client,
			       uint32_t object);

typedef void (*kt_object_fn)(const struct kt_object *object, void *context);

/*
 * Calls `visit` for the object and all known objects below it, even if the object itself is
 * unknown; for a client, calls `visit` for all its objects. Registered memory comes first,
 * by address, then the other objects, the last allocated first. With `remove`, all visited
 * objects are removed before the calls. `visit` must not change the table. O(m log m) for m
 * visited objects.
 */
void kt_object_table_each_below(struct kt_object_table *table, uint32_t client,
				uint32_t object, bool remove, kt_object_fn visit,
				void *context);

/*
 * Copies *from to *to, which must be empty. Returns false if there is no memory; *to then
 * stays empty. O(capacity).
 */
bool kt_object_table_copy(struct kt_object_table *to, const struct kt_object_table *from);

/* Frees the table's memory. */
void kt_object_table_clear(struct kt_object_table *table);

#endif
