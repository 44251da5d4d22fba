/* SPDX-License-Identifier: MIT */
/*
 * What programs hold by handles: streams, events, modules, functions, graphs. A handle is
 * the object's address, and is looked up before it is followed, so that a made-up handle or
 * one that was destroyed gives an error. All functions are thread-safe; that an object is
 * not destroyed while another thread uses it is the program's affair, as with CUDA.
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
	struct kt_object *next; /* of its bucket */
	enum kt_object_kind kind;
	struct kt_context *context; /* Weak. NULL: of none (graphs) */
};

/* Makes the object known; it stays the caller's. */
void kt_object_add(struct kt_object *object, enum kt_object_kind kind,
		   struct kt_context *context);
/* The object, or NULL if the handle is none of that kind, or in a forked child. O(1) on
 * average. */
void *kt_object_find(const void *handle, enum kt_object_kind kind);
/* The same, and makes it unknown: the caller frees it. */
void *kt_object_take(const void *handle, enum kt_object_kind kind);
/* Takes one of the context's objects of a kind; NULL: none is left. O(objects). */
void *kt_object_take_any(const struct kt_context *context, enum kt_object_kind kind);

#endif
