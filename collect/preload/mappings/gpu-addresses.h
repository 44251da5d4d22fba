/* SPDX-License-Identifier: MIT */
/*
 * Memory at GPU addresses, as reported by ioctls: ranges that show a memory object, and
 * registered user memory. The functions of collect/preload/submissions/gpu-memory.h read
 * this memory. The caller holds the lock.
 */
#ifndef KTAIL_COLLECT_GPU_ADDRESSES_H
#define KTAIL_COLLECT_GPU_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* GPU addresses [address, address + length) show the memory object from `offset` on. */
struct kt_gpu_range {
	uint64_t address;
	uint64_t length;
	uint32_t client;
	uint32_t object;
	uint64_t offset;
};

struct kt_gpu_item {
	struct kt_gpu_range gpu;
	bool pinned; /* registered user memory; its CPU address equals gpu.address */
};

/* Adds a range. Not signal-safe, like all functions that change ranges. */
void kt_gpu_map(const struct kt_gpu_range *range);

/*
 * Removes the ranges that begin in [address, address + length), except those of registered
 * user memory.
 */
void kt_gpu_unmap(uint64_t address, uint64_t length);

/* Adds user memory registered as range->object; range->offset is unused. */
void kt_gpu_pin(const struct kt_gpu_range *range);

/* Removes all ranges of an object that was freed. */
void kt_gpu_forget_object(uint32_t client, uint32_t object);

/* Call in a forked child, which has nothing mapped on any GPU: removes all ranges. */
void kt_gpu_after_fork(void);

/* Returns a counter that grows whenever ranges are added or removed. */
uint64_t kt_gpu_changes(void);

/*
 * Finds the device memory object that holds the byte at GPU address `address`. A device
 * mapping that contains the same CPU address takes precedence over the ranges of
 * kt_gpu_map(). Writes the object's range, from that byte on, to *out. Returns false if no
 * object is known there or the byte is in registered user memory. Signal-safe, as are the
 * functions below.
 */
bool kt_gpu_object_at(uint64_t address, struct kt_gpu_range *out);

/*
 * Of the ranges that hold the address, returns the one added last; NULL if there is none.
 */
const struct kt_gpu_item *kt_gpu_find(uint64_t address);

/* Returns the object's range if the object is registered user memory, else NULL. */
const struct kt_gpu_item *kt_gpu_find_pinned(const struct kt_gpu_range *object);

#endif
