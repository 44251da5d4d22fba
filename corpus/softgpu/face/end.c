/* SPDX-License-Identifier: MIT */
/*
 * What goes with a file, and with the process. In user space it is never asked for: there
 * everything goes with the process's memory.
 */
#include "corpus/softgpu/face/ranges.h"

static void free_clients(struct kt_face *face, bool any, uint64_t maker)
{
	for (size_t i = 0; i < KT_FACE_BUCKETS;) {
		struct kt_face_object *o = face->buckets[i];

		while (o && (o->parent || (!any && o->maker != maker))) {
			o = o->next_in_bucket;
		}
		if (o) {
			kt_face_object_free(face, o);
		} else {
			i++;
		}
	}
}

void kt_face_end_file(struct kt_face *face, uint64_t number)
{
	free_clients(face, false, number);
}

void kt_face_end_uvm(struct kt_face *face)
{
	struct kt_store *store = kt_gpu_store(face->gpu);

	if (face->space) {
		kt_face_forget_space(face);
	}
	while (face->n_ranges) {
		kt_face_range_free(face, face->ranges[face->n_ranges - 1]);
	}
	kt_store_give(store, face->ranges);
	face->ranges = NULL;
	face->room_ranges = 0;
	kt_store_give(store, face->groups);
	face->groups = NULL;
	face->n_groups = 0;
	face->gpu_registered = false;
}

void kt_face_end(struct kt_face *face)
{
	kt_face_end_uvm(face);
	free_clients(face, true, 0);
}
