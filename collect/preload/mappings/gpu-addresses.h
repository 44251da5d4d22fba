/* SPDX-License-Identifier: MIT */
/*
 * What ioctls have said of the memory that a GPU address names: ranges that show a memory
 * object, and registered user memory. collect/preload/submissions/gpu-memory.h reads it.
 * The lock is held for all functions here.
 */
#ifndef KTAIL_COLLECT_GPU_ADDRESSES_H
#define KTAIL_COLLECT_GPU_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* [address, address + length) of a GPU shows this memory object from its `offset` on. */
struct kt_gpu_range {
	uint64_t address;
	uint64_t length;
	uint32_t client;
	uint32_t object;
	uint64_t offset;
};

struct kt_gpu_item {
	struct kt_gpu_range gpu;
	bool pinned; /* user memory, at the same address */
};

/* Not for signal handlers, as all that changes. */
void kt_gpu_map(const struct kt_gpu_range *range);

/* Forgets the ranges that begin in [address, address + length). */
void kt_gpu_unmap(uint64_t address, uint64_t length);

/* User memory that was registered as this object; its `offset` is of no meaning. */
void kt_gpu_pin(const struct kt_gpu_range *range);

/* The object is freed: all of its ranges go. */
void kt_gpu_forget_object(uint32_t client, uint32_t object);

/* A forked child has nothing on any GPU. */
void kt_gpu_after_fork(void);

/* How often ranges have come or gone. */
uint64_t kt_gpu_changes(void);

/*
 * The memory object of a device that holds the byte at `address`: *out is the range that
 * begins there. false: there is none, or it is registered memory. Signal-safe, as those
 * that follow.
 */
bool kt_gpu_object_at(uint64_t address, struct kt_gpu_range *out);

/* The range that was made last of those that hold the address; NULL: none does. */
const struct kt_gpu_item *kt_gpu_find(uint64_t address);

/* The registered user memory that the object is; NULL: it is none. */
const struct kt_gpu_item *kt_gpu_find_pinned(const struct kt_gpu_range *object);

#endif
