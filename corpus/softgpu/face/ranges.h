/* SPDX-License-Identifier: MIT */
/*
 * The GPU's address space as nvidia-uvm keeps it: ranges that were taken, and in each what
 * memory is mapped where. The device (gpu.h) holds the same as pages.
 */
#ifndef KTAIL_SOFTGPU_FACE_RANGES_H
#define KTAIL_SOFTGPU_FACE_RANGES_H

#include "corpus/softgpu/face/objects.h"

#define KT_FACE_SPACE_END (UINT64_C(1) << 57)

/* A piece of a memory object at GPU addresses [base, base + length). */
struct kt_face_map {
	uint64_t base;
	uint64_t length;
	struct kt_face_range *range;   /* Weak */
	struct kt_face_memory *memory; /* Weak */
	struct kt_face_map *next_in_range;
	struct kt_face_map *next_in_memory;
};

struct kt_face_range {
	uint64_t base;
	uint64_t length;
	struct kt_face_map *maps; /* Owned by this */
};

uint32_t kt_face_range_take(struct kt_face *face, uint64_t base, uint64_t length);
/* The range that holds all of [base, base + length); NULL: none. O(log n). */
struct kt_face_range *kt_face_range_find(const struct kt_face *face, uint64_t base,
					 uint64_t length);
/* Frees it and what is mapped in it. */
void kt_face_range_free(struct kt_face *face, struct kt_face_range *range);

/* What was mapped there before goes. The range holds all of it; a space is registered. */
uint32_t kt_face_range_map(struct kt_face *face, struct kt_face_range *range, uint64_t base,
			   uint64_t length, struct kt_face_memory *memory, uint64_t offset);

#endif
