/* SPDX-License-Identifier: MIT */
/*
 * Resource-manager objects of this process: handle, class, parent. A handle is unique
 * within its client; freeing an object frees all below it, freeing a client all it holds.
 * The lock is held for all of these. Never called in a signal handler.
 */
#ifndef KTAIL_COLLECT_OBJECTS_H
#define KTAIL_COLLECT_OBJECTS_H

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

/* Adds or replaces an object. Out of memory: it stays unknown. */
void kt_object_add(const struct kt_object *object);

/* The object, or NULL. Valid until the next add or remove. */
const struct kt_object *kt_object_find(uint32_t client, uint32_t object);

/* Class of the object, 0 if it is unknown. */
uint32_t kt_object_class(uint32_t client, uint32_t object);

typedef void (*kt_object_fn)(const struct kt_object *object, void *context);

/*
 * Calls visit for the object and all below it: pinned ones by address, then the others from
 * the bottom up, then takes them out if `remove` is set.
 */
void kt_object_each_below(uint32_t client, uint32_t object, int remove, kt_object_fn visit,
			  void *context);

#endif
