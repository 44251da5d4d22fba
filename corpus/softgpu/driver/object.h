/* SPDX-License-Identifier: MIT */
/*
 * Objects that programs hold by handle: streams, events, modules, functions, graphs. A
 * handle is the object's address and is looked up before it is dereferenced, so that an
 * invalid or destroyed handle yields an error. All functions are thread-safe; as with
 * CUDA, the program must not destroy an object that another thread is using.
 */
#ifndef KTAIL_SOFTGPU_OBJECT_H
#define KTAIL_SOFTGPU_OBJECT_H

#include <stdbool.h>

struct kt_context;

enum kt_object_kind {
	KT_OBJECT_STREAM = 1,
	KT_OBJECT_EVENT,
	KT_OBJECT_MODULE,
	KT_OBJECT_FUNCTION,
	KT_OBJECT_GRAPH,
	KT_OBJECT_GRAPH_EXEC,
};

/* First member of every object. */
struct kt_object {
	struct kt_object *next; /* next object in the same bucket of the table */
	enum kt_object_kind kind;
	struct kt_context *context; /* Weak. NULL: the object has no context (graphs) */
};

/* Enters the object into the table; the caller keeps ownership. */
void kt_object_add(struct kt_object *object, enum kt_object_kind kind,
		   struct kt_context *context);
/*
 * Returns the object; NULL if `handle` is not an object of this kind, or in a forked
 * child. O(1) on average.
 */
void *kt_object_find(const void *handle, enum kt_object_kind kind);
/*
 * Like kt_object_find, but also removes the object from the table. The caller frees the
 * object.
 */
void *kt_object_take(const void *handle, enum kt_object_kind kind);
/*
 * Removes and returns any object of this kind that belongs to the context; NULL if none is
 * left. O(objects).
 */
void *kt_object_take_any(const struct kt_context *context, enum kt_object_kind kind);

#endif
