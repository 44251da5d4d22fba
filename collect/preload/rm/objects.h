/* SPDX-License-Identifier: MIT */
/*
 * Resource-manager objects of this process (decode/rm/object-table.h). The caller holds the
 * lock. Not signal-safe.
 */
#ifndef KTAIL_COLLECT_OBJECTS_H
#define KTAIL_COLLECT_OBJECTS_H

#include "decode/rm/object-table.h"

extern struct kt_object_table kt_objects;

/* Adds or replaces an object. If memory runs out, the object is not added. */
void kt_object_add(const struct kt_object *object);

/* See kt_object_table_each_below(). */
void kt_object_each_below(uint32_t client, uint32_t object, int remove, kt_object_fn visit,
			  void *context);

#endif
