/* SPDX-License-Identifier: MIT */
#include "collect/preload/rm/objects.h"

#include "collect/preload/process/memory.h"

struct kt_object_table kt_objects = {.reserve = kt_table_reserve, .release = kt_table_free};

void kt_object_add(const struct kt_object *object)
{
	kt_object_table_add(&kt_objects, object);
}

void kt_object_each_below(uint32_t client, uint32_t object, int remove, kt_object_fn visit,
			  void *context)
{
	kt_object_table_each_below(&kt_objects, client, object, remove != 0, visit,
				   context);
}
