/* SPDX-License-Identifier: MIT */
/*
 * Finds memory that the CPU can read for a GPU address. Searches in this order:
 *
 * 1. A device mapping of the process at the same address: libcuda gives rings, USERDs and
 *    pushbuffers the same address on GPU and CPU.
 * 2. Registered user memory that has the same address on GPU and CPU.
 * 3. The CPU mapping, or the registered user memory, of the memory object that an ioctl has
 *    mapped at that GPU address. If the object has several CPU mappings, the one added
 *    last is used.
 *
 * Device memory is read through the recorder's second mapping if there is one, so closed
 * pages stay closed. Registers and managed memory are never read, because a read would
 * change their state. The caller holds the lock.
 */
#ifndef KTAIL_COLLECT_GPU_MEMORY_H
#define KTAIL_COLLECT_GPU_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns how many of the `bytes` bytes from `address` on can be read, without touching
 * them. If not all can be read, *why is the reason, a static text. For n mappings,
 * O(log n) if the memory has the same address on GPU and CPU, else O(n).
 */
uint64_t kt_gpu_reach(uint64_t address, uint64_t bytes, const char **why);

/*
 * Copies `bytes` bytes from a GPU address and returns the number of leading bytes copied.
 * If not all could be copied, *why is the reason, a static text. `address` and `bytes` are
 * multiples of 4. Causes no fault that the program would notice. Counts its loads of device
 * memory (16, 8 or 4 bytes each), because each load crosses the bus.
 */
size_t kt_gpu_read(void *to, uint64_t address, size_t bytes, const char **why);

#endif
