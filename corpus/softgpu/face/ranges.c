/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/face/ranges.h"

#include <string.h>

/* --- the table --- */

/* Index of the first range that ends above the address. */
static size_t first_above(const struct kt_face *face, uint64_t address)
{
	size_t lo = 0;
	size_t hi = face->n_ranges;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (face->ranges[mid]->base + face->ranges[mid]->length <= address) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return lo;
}

uint32_t kt_face_range_take(struct kt_face *face, uint64_t base, uint64_t length)
{
	size_t i = first_above(face, base);
	struct kt_store *store = kt_gpu_store(face->gpu);
	struct kt_face_range *range;

	if (i < face->n_ranges && face->ranges[i]->base < base + length) {
		return KT_ABI_UVM_ADDRESS_IN_USE;
	}
	if (face->n_ranges == face->room_ranges) {
		size_t room = face->room_ranges ? face->room_ranges * 2 : 64;
		struct kt_face_range **more = kt_store_resize(
			store, face->ranges, room * sizeof(struct kt_face_range *));

		if (!more) {
			return KT_ABI_NO_MEMORY;
		}
		face->ranges = more;
		face->room_ranges = room;
	}
	range = kt_store_take(store, sizeof(*range));
	if (!range) {
		return KT_ABI_NO_MEMORY;
	}
	range->base = base;
	range->length = length;
	memmove(&face->ranges[i + 1], &face->ranges[i],
		(face->n_ranges - i) * sizeof(struct kt_face_range *));
	face->ranges[i] = range;
	face->n_ranges++;
	return KT_ABI_OK;
}

struct kt_face_range *kt_face_range_find(const struct kt_face *face, uint64_t base,
					 uint64_t length)
{
	size_t i = first_above(face, base);
	struct kt_face_range *r = i < face->n_ranges ? face->ranges[i] : NULL;

	return r && r->base <= base && length <= r->length &&
			       base - r->base <= r->length - length
		       ? r
		       : NULL;
}

/* --- what is mapped --- */

static void link_map(struct kt_face_map *map)
{
	map->next_in_range = map->range->maps;
	map->range->maps = map;
	map->next_in_memory = map->memory->maps;
	map->memory->maps = map;
}

/* Takes it out of both lists and frees it; the device's pages are the caller's affair. */
static void free_map(struct kt_face *face, struct kt_face_map *map)
{
	struct kt_face_map **at = &map->range->maps;

	while (*at != map) {
		at = &(*at)->next_in_range;
	}
	*at = map->next_in_range;
	at = &map->memory->maps;
	while (*at != map) {
		at = &(*at)->next_in_memory;
	}
	*at = map->next_in_memory;
	kt_store_give(kt_gpu_store(face->gpu), map);
}

uint32_t kt_face_range_map(struct kt_face *face, struct kt_face_range *range, uint64_t base,
			   uint64_t length, struct kt_face_memory *memory, uint64_t offset)
{
	struct kt_gpu_space *space = face->space->u.space;
	struct kt_face_map *map = kt_store_take(kt_gpu_store(face->gpu), sizeof(*map));
	uint64_t end = base + length;
	struct kt_face_map *next;
	int error;

	if (!map) {
		return KT_ABI_NO_MEMORY;
	}
	for (struct kt_face_map *old = range->maps; old; old = next) {
		uint64_t old_end = old->base + old->length;
		struct kt_face_map *behind;

		next = old->next_in_range;
		if (old->base >= end || base >= old_end) {
			continue;
		}
		/* What the new map covers goes: nothing, one piece or two are left. */
		if (base <= old->base && end >= old_end) {
			free_map(face, old);
			continue;
		}
		if (base > old->base && end < old_end) {
			behind = kt_store_take(kt_gpu_store(face->gpu), sizeof(*behind));
			if (!behind) {
				kt_store_give(kt_gpu_store(face->gpu), map);
				return KT_ABI_NO_MEMORY;
			}
			*behind = *old;
			behind->base = end;
			behind->length = old_end - end;
			link_map(behind);
		}
		if (base > old->base) {
			old->length = base - old->base;
		} else {
			old->length = old_end - end;
			old->base = end;
		}
	}
	kt_gpu_space_unmap(space, base, length);
	error = memory->block
			? kt_gpu_space_map(space, base, length,
					   memory->block->physical + offset)
			: kt_gpu_space_map_user(space, base, length, memory->user + offset);
	if (error) {
		kt_store_give(kt_gpu_store(face->gpu), map);
		return kt_face_status(error);
	}
	map->base = base;
	map->length = length;
	map->range = range;
	map->memory = memory;
	link_map(map);
	return KT_ABI_OK;
}

/* --- the end --- */

void kt_face_range_free(struct kt_face *face, struct kt_face_range *range)
{
	size_t i = first_above(face, range->base);

	if (range->maps && face->space) {
		kt_gpu_space_unmap(face->space->u.space, range->base, range->length);
	}
	while (range->maps) {
		free_map(face, range->maps);
	}
	memmove(&face->ranges[i], &face->ranges[i + 1],
		(face->n_ranges - i - 1) * sizeof(struct kt_face_range *));
	face->n_ranges--;
	kt_store_give(kt_gpu_store(face->gpu), range);
}

void kt_face_unmap_memory(struct kt_face *face, struct kt_face_memory *memory)
{
	while (memory->maps) {
		struct kt_face_map *map = memory->maps;

		if (face->space) {
			kt_gpu_space_unmap(face->space->u.space, map->base, map->length);
		}
		free_map(face, map);
	}
}

void kt_face_forget_space(struct kt_face *face)
{
	for (size_t i = 0; i < face->n_ranges; i++) {
		struct kt_face_range *range = face->ranges[i];

		if (range->maps && face->space) {
			kt_gpu_space_unmap(face->space->u.space, range->base,
					   range->length);
		}
		while (range->maps) {
			free_map(face, range->maps);
		}
	}
	kt_gpu_transfer_space(face->gpu, NULL);
	face->space = NULL;
}
