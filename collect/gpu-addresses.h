/* SPDX-License-Identifier: MIT */
/*
 * Where memory that a GPU address names can be read by the processor. In this order:
 *
 * 1. A device mapping of the process at the same address: so it is with libcuda, which
 *    gives rings, USERDs and pushbuffers one address for both sides.
 * 2. Registered user memory, at its own address.
 * 3. What the ioctls have said that map memory objects into a GPU's address space: the CPU
 *    mapping of that object. Of several that were made there, the last one.
 *
 * Device memory is read through the recorder's second mapping of it where there is one, so
 * closed pages stay closed. Registers and managed memory are never read: that would change
 * them. The lock is held for all of these.
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

/*
 * How many of the bytes at `address` can be read, from the first on. Where it is fewer
 * than asked for, *why says the reason, a static text. Touches no memory. O(log n)
 * for memory at equal addresses, O(n) for other.
 */
uint64_t kt_gpu_reach(uint64_t address, uint64_t bytes, const char **why);

/*
 * Copies them, in units of 16, 8 and 4 bytes, and says how many it could. Takes no
 * fault that the program would see. `address` and `bytes` are multiples of 4. Loads from
 * memory of the device are counted: each crosses the bus.
 */
size_t kt_gpu_read(void *to, uint64_t address, size_t bytes, const char **why);

#endif
