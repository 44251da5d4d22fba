/* SPDX-License-Identifier: MIT */
/* Requests of nvidia-uvm: raw numbers that do not encode the size of their structs. */
#include <errno.h>
#include <string.h>

#include "corpus/softgpu/kmd/objects.h"

/*
 * --- ranges ---
 *
 * The GPU's address space as nvidia-uvm keeps it: reserved ranges, and the memory mapped
 * in each range. The device (gpu.h) has the same mappings in a list of its own.
 */

#define SPACE_END (UINT64_C(1) << 57)

/* A piece of a memory object, mapped at GPU addresses [base, base + length). */
struct kt_kmd_map {
	uint64_t base;
	uint64_t length;
	struct kt_kmd_range *range;   /* Weak */
	struct kt_kmd_memory *memory; /* Weak */
	struct kt_kmd_map *next_in_range;
	struct kt_kmd_map *next_in_memory;
};

struct kt_kmd_range {
	uint64_t base;
	uint64_t length;
	struct kt_kmd_map *maps; /* Owned by this */
};

/* Returns the index of the first range that ends above the address. */
static size_t first_above(const struct kt_kmd *kmd, uint64_t address)
{
	size_t lo = 0;
	size_t hi = kmd->n_ranges;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (kmd->ranges[mid]->base + kmd->ranges[mid]->length <= address) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return lo;
}

/* Returns whether a range overlaps [base, base + length). */
static bool is_taken(const struct kt_kmd *kmd, uint64_t base, uint64_t length)
{
	const size_t i = first_above(kmd, base);

	return i < kmd->n_ranges && kmd->ranges[i]->base < base + length;
}

static uint32_t take_range(struct kt_kmd *kmd, uint64_t base, uint64_t length)
{
	size_t i = first_above(kmd, base);
	struct kt_store *store = kt_gpu_store(kmd->gpu);
	struct kt_kmd_range *range;

	if (is_taken(kmd, base, length)) {
		return KT_ABI_UVM_ADDRESS_IN_USE;
	}
	if (!kt_store_reserve(store, &kmd->ranges, kmd->n_ranges, &kmd->ranges_capacity,
			      sizeof(*kmd->ranges))) {
		return KT_ABI_NO_MEMORY;
	}
	range = kt_store_take(store, sizeof(*range));
	if (!range) {
		return KT_ABI_NO_MEMORY;
	}
	range->base = base;
	range->length = length;
	memmove(&kmd->ranges[i + 1], &kmd->ranges[i],
		(kmd->n_ranges - i) * sizeof(struct kt_kmd_range *));
	kmd->ranges[i] = range;
	kmd->n_ranges++;
	return KT_ABI_OK;
}

/*
 * Returns the range that contains all of [base, base + length), or NULL if no range does.
 * O(log n).
 */
static struct kt_kmd_range *find_range(const struct kt_kmd *kmd, uint64_t base,
				       uint64_t length)
{
	size_t i = first_above(kmd, base);
	struct kt_kmd_range *r = i < kmd->n_ranges ? kmd->ranges[i] : NULL;

	return r && r->base <= base && length <= r->length &&
			       base - r->base <= r->length - length
		       ? r
		       : NULL;
}

static void link_map(struct kt_kmd_map *map)
{
	map->next_in_range = map->range->maps;
	map->range->maps = map;
	map->next_in_memory = map->memory->maps;
	map->memory->maps = map;
}

/*
 * Removes a map from the lists of its range and its memory, and frees the map. The caller
 * unmaps the device's pages.
 */
static void free_map(struct kt_kmd *kmd, struct kt_kmd_map *map)
{
	struct kt_kmd_map **at = &map->range->maps;

	while (*at != map) {
		at = &(*at)->next_in_range;
	}
	*at = map->next_in_range;
	at = &map->memory->maps;
	while (*at != map) {
		at = &(*at)->next_in_memory;
	}
	*at = map->next_in_memory;
	kt_store_give(kt_gpu_store(kmd->gpu), map);
}

/*
 * Maps memory at [base, base + length) and replaces earlier mappings there. `range` must
 * contain these addresses, and an address space must be registered.
 */
static uint32_t map_in_range(struct kt_kmd *kmd, struct kt_kmd_range *range, uint64_t base,
			     uint64_t length, struct kt_kmd_memory *memory, uint64_t offset)
{
	struct kt_gpu_space *space = kmd->space->u.space;
	struct kt_kmd_map *map = kt_store_take(kt_gpu_store(kmd->gpu), sizeof(*map));
	uint64_t end = base + length;
	struct kt_kmd_map *next;
	int error;

	if (!map) {
		return KT_ABI_NO_MEMORY;
	}
	for (struct kt_kmd_map *old = range->maps; old; old = next) {
		uint64_t old_end = old->base + old->length;
		struct kt_kmd_map *tail;

		next = old->next_in_range;
		if (old->base >= end || base >= old_end) {
			continue;
		}
		/*
		 * Removes the part of `old` that the new map covers; zero to two parts of
		 * `old` remain.
		 */
		if (base <= old->base && end >= old_end) {
			free_map(kmd, old);
			continue;
		}
		if (base > old->base && end < old_end) {
			tail = kt_store_take(kt_gpu_store(kmd->gpu), sizeof(*tail));
			if (!tail) {
				kt_store_give(kt_gpu_store(kmd->gpu), map);
				return KT_ABI_NO_MEMORY;
			}
			*tail = *old;
			tail->base = end;
			tail->length = old_end - end;
			link_map(tail);
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
		kt_store_give(kt_gpu_store(kmd->gpu), map);
		return kt_kmd_status(error);
	}
	map->base = base;
	map->length = length;
	map->range = range;
	map->memory = memory;
	link_map(map);
	return KT_ABI_OK;
}

/* Removes all mappings in a range. */
static void unmap_range(struct kt_kmd *kmd, struct kt_kmd_range *range)
{
	if (range->maps && kmd->space) {
		kt_gpu_space_unmap(kmd->space->u.space, range->base, range->length);
	}
	while (range->maps) {
		free_map(kmd, range->maps);
	}
}

/* Frees a range and all mappings in it. */
static void give_range(struct kt_kmd *kmd, struct kt_kmd_range *range)
{
	size_t i = first_above(kmd, range->base);

	unmap_range(kmd, range);
	memmove(&kmd->ranges[i], &kmd->ranges[i + 1],
		(kmd->n_ranges - i - 1) * sizeof(struct kt_kmd_range *));
	kmd->n_ranges--;
	kt_store_give(kt_gpu_store(kmd->gpu), range);
}

void kt_kmd_unmap_memory(struct kt_kmd *kmd, struct kt_kmd_memory *memory)
{
	while (memory->maps) {
		struct kt_kmd_map *map = memory->maps;

		if (kmd->space) {
			kt_gpu_space_unmap(kmd->space->u.space, map->base, map->length);
		}
		free_map(kmd, map);
	}
}

void kt_kmd_forget_space(struct kt_kmd *kmd)
{
	for (size_t i = 0; i < kmd->n_ranges; i++) {
		unmap_range(kmd, kmd->ranges[i]);
	}
	kt_gpu_transfer_space(kmd->gpu, NULL);
	kmd->space = NULL;
}

void kt_kmd_end_uvm(struct kt_kmd *kmd)
{
	struct kt_store *store = kt_gpu_store(kmd->gpu);

	if (kmd->space) {
		kt_kmd_forget_space(kmd);
	}
	while (kmd->n_ranges) {
		give_range(kmd, kmd->ranges[kmd->n_ranges - 1]);
	}
	kt_store_give(store, kmd->ranges);
	kmd->ranges = NULL;
	kmd->ranges_capacity = 0;
	kt_store_give(store, kmd->groups);
	kmd->groups = NULL;
	kmd->n_groups = 0;
	kmd->gpu_registered = false;
}

/* --- requests --- */

/* Returns whether the range is page-aligned, not empty, and within the GPU's addresses. */
static bool is_range(uint64_t base, uint64_t length)
{
	return length != 0 && base % KT_ABI_PAGE == 0 && length % KT_ABI_PAGE == 0 &&
	       length <= SPACE_END && base <= SPACE_END - length;
}

static bool is_gpu(const struct kt_kmd *kmd, const uint8_t *uuid)
{
	return memcmp(kmd->uuid, uuid, KT_ABI_UUID_SIZE) == 0;
}

static bool is_control(const struct kt_kmd *kmd, int fd)
{
	struct kt_kmd_file file = kt_kmd_file_read(fd);

	return file.owner == kmd->id && file.device == KT_KMD_CONTROL;
}

/* --- the address space as a whole --- */

static uint32_t initialize(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_initialize *p = data;

	(void)kmd;
	return p->flags & ~UINT64_C(7) ? KT_ABI_INVALID_ARGUMENT : KT_ABI_OK;
}

static uint32_t mm_initialize(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_mm *p = data;
	struct kt_kmd_file file = kt_kmd_file_read(p->fd);

	return file.owner == kmd->id && file.device == KT_KMD_UVM && file.initialized
		       ? KT_ABI_OK
		       : KT_ABI_INVALID_ARGUMENT;
}

static uint32_t pageable_access(struct kt_kmd *kmd, void *data)
{
	struct kt_abi_uvm_pageable *p = data;

	(void)kmd;
	p->can = 0;
	return KT_ABI_OK;
}

static uint32_t register_gpu(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_register_gpu *p = data;

	if (!is_gpu(kmd, p->uuid)) {
		return KT_ABI_INVALID_DEVICE;
	}
	kmd->gpu_registered = true;
	return KT_ABI_OK;
}

static uint32_t unregister_gpu(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_gpu *p = data;

	if (!is_gpu(kmd, p->uuid) || !kmd->gpu_registered) {
		return KT_ABI_INVALID_DEVICE;
	}
	kt_kmd_forget_space(kmd);
	kmd->gpu_registered = false;
	return KT_ABI_OK;
}

static uint32_t register_space(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_register_space *p = data;
	struct kt_kmd_object *space;

	if (!is_gpu(kmd, p->uuid) || !kmd->gpu_registered) {
		return KT_ABI_INVALID_DEVICE;
	}
	if (!is_control(kmd, p->control_fd)) {
		return KT_ABI_INVALID_ARGUMENT;
	}
	space = kt_kmd_object_of_class(kmd, p->client, p->address_space,
				       KT_ABI_CLASS_ADDRESS_SPACE);
	if (!space) {
		return KT_ABI_OBJECT_NOT_FOUND;
	}
	if (kt_kmd_object_find(kmd, p->client, p->client)->u.closed) {
		return KT_ABI_INSUFFICIENT_PERMISSIONS;
	}
	if (kmd->space) {
		return KT_ABI_STATE_IN_USE;
	}
	kmd->space = space;
	kt_gpu_transfer_space(kmd->gpu, space->u.space);
	return KT_ABI_OK;
}

static uint32_t unregister_space(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_gpu *p = data;

	if (!is_gpu(kmd, p->uuid) || !kmd->space) {
		return KT_ABI_INVALID_DEVICE;
	}
	kt_kmd_forget_space(kmd);
	return KT_ABI_OK;
}

/* --- channels --- */

static struct kt_kmd_object *find_channel(const struct kt_kmd *kmd, uint32_t client,
					  uint32_t channel)
{
	return kt_kmd_object_of_class(kmd, client, channel, KT_ABI_CLASS_CHANNEL);
}

static uint32_t register_channel(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_register_channel *p = data;
	struct kt_kmd_object *channel = find_channel(kmd, p->client, p->channel);

	if (!is_gpu(kmd, p->uuid) || !kmd->space) {
		return KT_ABI_INVALID_DEVICE;
	}
	if (!channel) {
		return KT_ABI_INVALID_CHANNEL;
	}
	if (channel->u.channel.registered) {
		return KT_ABI_STATE_IN_USE;
	}
	if (!is_range(p->base, p->length) || p->length < KT_KMD_ENGINE_STATE_BYTES) {
		return KT_ABI_INVALID_ADDRESS;
	}
	if (is_taken(kmd, p->base, p->length)) {
		return KT_ABI_UVM_ADDRESS_IN_USE;
	}
	channel->u.channel.registered = true;
	return KT_ABI_OK;
}

static uint32_t unregister_channel(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_unregister_channel *p = data;
	struct kt_kmd_object *channel = find_channel(kmd, p->client, p->channel);

	if (!channel || !channel->u.channel.registered) {
		return KT_ABI_INVALID_CHANNEL;
	}
	channel->u.channel.registered = false;
	return KT_ABI_OK;
}

static uint32_t create_external(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_range *p = data;

	return is_range(p->base, p->length) ? take_range(kmd, p->base, p->length)
					    : KT_ABI_INVALID_ADDRESS;
}

static uint32_t map_external(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_map_external *p = data;
	struct kt_kmd_object *memory = kt_kmd_object_memory(kmd, p->client, p->memory);
	struct kt_kmd_range *range;

	if (p->n_gpus != 1) {
		return KT_ABI_INVALID_ARGUMENT;
	}
	if (!is_gpu(kmd, p->gpus[0].uuid) || !kmd->space) {
		return KT_ABI_INVALID_DEVICE;
	}
	if (!is_control(kmd, p->control_fd)) {
		return KT_ABI_INVALID_ARGUMENT;
	}
	if (!memory) {
		return KT_ABI_OBJECT_NOT_FOUND;
	}
	range = is_range(p->base, p->length) ? find_range(kmd, p->base, p->length) : NULL;
	if (!range) {
		return KT_ABI_INVALID_ADDRESS;
	}
	if (p->offset % KT_ABI_PAGE || p->offset >= memory->u.memory.bytes) {
		return KT_ABI_INVALID_OFFSET;
	}
	if (p->length > memory->u.memory.bytes - p->offset) {
		return KT_ABI_INVALID_LIMIT;
	}
	return map_in_range(kmd, range, p->base, p->length, &memory->u.memory, p->offset);
}

static uint32_t free_range(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_free *p = data;
	struct kt_kmd_range *range = find_range(kmd, p->base, 1);

	if (!range || range->base != p->base ||
	    (p->length != 0 && p->length != range->length)) {
		return KT_ABI_INVALID_ADDRESS;
	}
	give_range(kmd, range);
	return KT_ABI_OK;
}

/* --- range groups: numbers without further state --- */

static uint32_t create_group(struct kt_kmd *kmd, void *data)
{
	struct kt_abi_uvm_range_group *p = data;
	uint64_t *groups = kt_store_resize(kt_gpu_store(kmd->gpu), kmd->groups,
					   (kmd->n_groups + 1) * sizeof(*groups));

	if (!groups) {
		return KT_ABI_NO_MEMORY;
	}
	kmd->groups = groups;
	p->id = ++kmd->range_groups;
	groups[kmd->n_groups++] = p->id;
	return KT_ABI_OK;
}

static uint32_t destroy_group(struct kt_kmd *kmd, void *data)
{
	const struct kt_abi_uvm_range_group *p = data;

	for (size_t i = 0; i < kmd->n_groups; i++) {
		if (kmd->groups[i] == p->id) {
			kmd->groups[i] = kmd->groups[--kmd->n_groups];
			return KT_ABI_OK;
		}
	}
	return KT_ABI_OBJECT_NOT_FOUND;
}

/* --- the table --- */

#define ROW(request, type, before, answer)                                                 \
	{                                                                                  \
		request, sizeof(struct type), offsetof(struct type, status), before,       \
			answer                                                             \
	}

static const struct {
	unsigned long request;
	size_t size;
	size_t status;    /* offset of the status in the struct */
	bool before_init; /* also valid before UVM_INITIALIZE */
	uint32_t (*answer)(struct kt_kmd *kmd, void *data);
} requests[] = {
	ROW(KT_ABI_UVM_CREATE_RANGE_GROUP, kt_abi_uvm_range_group, false, create_group),
	ROW(KT_ABI_UVM_DESTROY_RANGE_GROUP, kt_abi_uvm_range_group, false, destroy_group),
	ROW(KT_ABI_UVM_REGISTER_SPACE, kt_abi_uvm_register_space, false, register_space),
	ROW(KT_ABI_UVM_UNREGISTER_SPACE, kt_abi_uvm_gpu, false, unregister_space),
	ROW(KT_ABI_UVM_REGISTER_CHANNEL, kt_abi_uvm_register_channel, false,
	    register_channel),
	ROW(KT_ABI_UVM_UNREGISTER_CHANNEL, kt_abi_uvm_unregister_channel, false,
	    unregister_channel),
	ROW(KT_ABI_UVM_MAP_EXTERNAL, kt_abi_uvm_map_external, false, map_external),
	ROW(KT_ABI_UVM_FREE, kt_abi_uvm_free, false, free_range),
	ROW(KT_ABI_UVM_REGISTER_GPU, kt_abi_uvm_register_gpu, false, register_gpu),
	ROW(KT_ABI_UVM_UNREGISTER_GPU, kt_abi_uvm_gpu, false, unregister_gpu),
	ROW(KT_ABI_UVM_PAGEABLE_ACCESS, kt_abi_uvm_pageable, false, pageable_access),
	ROW(KT_ABI_UVM_CREATE_EXTERNAL, kt_abi_uvm_range, false, create_external),
	ROW(KT_ABI_UVM_MM_INITIALIZE, kt_abi_uvm_mm, true, mm_initialize),
	ROW(KT_ABI_UVM_INITIALIZE, kt_abi_uvm_initialize, true, initialize),
};

int kt_kmd_uvm_ioctl(struct kt_kmd_call *call, unsigned long request)
{
	size_t n = sizeof(requests) / sizeof(requests[0]);
	unsigned char *data = (unsigned char *)call->kmd->call;
	uint32_t status = KT_ABI_ILLEGAL_ACTION;
	size_t i = 0;
	int error;

	while (i < n && requests[i].request != request) {
		i++;
	}
	if (i == n) {
		return -EINVAL;
	}
	error = kt_kmd_copy_in(call, data, call->argument, requests[i].size);
	if (error) {
		return error;
	}
	if (requests[i].before_init || call->file.initialized) {
		status = requests[i].answer(call->kmd, data);
	}
	if (request == KT_ABI_UVM_INITIALIZE && status == KT_ABI_OK) {
		call->file.initialized = 1;
		if (kt_kmd_call_store(call) != 0) {
			status = KT_ABI_INSUFFICIENT_RESOURCES;
		}
	}
	memcpy(data + requests[i].status, &status, sizeof(status));
	return kt_kmd_copy_out(call, call->argument, data, requests[i].size);
}
